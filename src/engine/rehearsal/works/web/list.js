const starters = [
];
let entries = app.load("entries", starters.map((text) => ({ text, done: false })));

const row = (entry) => {
  const tick = make("input");
  tick.type = "checkbox";
  tick.checked = entry.done;
  const remove = make("button", "Remove");
  remove.type = "button";
  const text = make("span", entry.text);
  text.className = entry.done ? "done" : "";
  tick.addEventListener("change", () => {
    entry.done = tick.checked;
    show((entry.done ? "Done: " : "Open again: ") + entry.text);
  });
  remove.addEventListener("click", () => {
    entries = entries.filter((other) => other !== entry);
    show("Removed: " + entry.text);
  });
  return make("li", make("label", make("span", tick, " ", text)), remove);
};
const show = (what) => {
  $("entries").replaceChildren(...entries.map(row));
  $("empty").hidden = entries.length > 0;
  app.save("entries", entries);
  app.changed(what);
};
$("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (text) {
    entries.push({ text, done: false });
    $("text").value = "";
    show("Added: " + text);
  }
});
app.reset = () => {
  entries = [];
  show("Cleared");
};
app.stats = () => [["Entries", entries.length], ["Done", entries.filter((entry) => entry.done).length]];
app.text = () => entries.map((entry) => (entry.done ? "[x] " : "[ ] ") + entry.text).join("\n");
show("Opened");
