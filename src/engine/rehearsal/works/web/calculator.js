const fields = {{names}};
// What the numbers of the form come to, as rows of a name and a value.
const compute = ({ {{arguments}} }) => [
{{rows}}
];

const number = (value) => (Number.isFinite(value) ? value.toLocaleString(undefined, { maximumFractionDigits: 2 }) : "–");
const read = () => Object.fromEntries(fields.map((name) => [name, $(name).valueAsNumber]));
const show = () => {
  const rows = compute(read());
  $("results").replaceChildren(
    ...rows.map(([name, value]) => make("tr", make("th", name), make("td", make("output", number(value))))),
  );
  app.save("form", read());
  app.changed(rows.map(([name, value]) => name + " " + number(value)).join(", "));
};
for (const [name, value] of Object.entries(app.load("form", {}))) {
  if (fields.includes(name) && Number.isFinite(value)) {
    $(name).value = value;
  }
}
app.reset = () => $("form").reset();
app.stats = () => compute(read()).map(([name, value]) => [name, number(value)]);
$("form").addEventListener("input", show);
$("form").addEventListener("submit", (event) => event.preventDefault());
$("form").addEventListener("reset", () => setTimeout(show));
show();
