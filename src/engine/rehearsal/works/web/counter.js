const STEP = 1;
let value = app.load("value", 0);

const show = () => {
  $("value").textContent = value;
  app.save("value", value);
};
const move = (by) => {
  value += by;
  show();
  app.changed("Counted to " + value);
};
$("more").addEventListener("click", () => move(STEP));
$("less").addEventListener("click", () => move(-STEP));
app.reset = () => move(-value);
app.stats = () => [["Count", value]];
$("zero").addEventListener("click", app.reset);
show();
