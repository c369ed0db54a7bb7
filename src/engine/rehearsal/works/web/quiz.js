const starters = [
{{questions}}];
let questions = app.load("questions", starters);
let at = 0;
let right = 0;
let asked = 0;

const plain = (text) => text.trim().toLowerCase();
const show = (what) => {
  const next = questions[at % Math.max(1, questions.length)];
  $("question").textContent = next ? next[0] : "No question yet: add the first one below.";
  $("score").textContent = right + " of " + asked;
  app.save("questions", questions);
  app.changed(what);
};
$("answer").addEventListener("submit", (event) => {
  event.preventDefault();
  const current = questions[at % Math.max(1, questions.length)];
  if (!current) {
    return;
  }
  const good = plain($("reply").value) === plain(current[1]);
  asked += 1;
  right += good ? 1 : 0;
  at += 1;
  $("verdict").textContent = good ? "Right!" : "No: " + current[1];
  $("reply").value = "";
  show(good ? "A right answer" : "A wrong answer");
});
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  questions.push([$("ask-question").value, $("ask-answer").value]);
  $("ask").reset();
  show("A question more");
});
app.reset = () => {
  at = right = asked = 0;
  $("verdict").textContent = "";
  show("Started over");
};
app.stats = () => [["Questions", questions.length], ["Right answers", right], ["Asked", asked]];
show("Opened");
