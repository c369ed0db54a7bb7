// Nexus demo: To-do list
const $ = (id) => document.getElementById(id);

let tasks = [
  { text: "Water the basil", done: true },
  { text: "Answer Ines about Saturday", done: false },
  { text: "Two lemons and a loaf of bread", done: false },
];
let filter = "all";

function row(task, index) {
  const item = document.createElement("li");
  item.innerHTML = `
    <input type="checkbox" id="task-${index}" ${task.done ? "checked" : ""}>
    <label for="task-${index}">${task.text}</label>
    <button type="button" aria-label="Remove">×</button>`;
  item.querySelector("input").addEventListener("change", () => {
    task.done = !task.done;
    show();
  });
  item.querySelector("button").addEventListener("click", () => {
    tasks = tasks.filter((other) => other !== task);
    show();
  });
  return item;
}

function show() {
  const shown = tasks.filter((task) => filter === "all" || task.done === (filter === "done"));
  $("list").replaceChildren(...shown.map(row));
  $("empty").hidden = shown.length > 0;

  const done = tasks.filter((task) => task.done).length;
  const open = tasks.length - done;
  $("left").textContent = open === 0 ? "All done." : `${open} of ${tasks.length} open`;
  $("ring").setAttribute("stroke-dasharray", `${tasks.length ? (done / tasks.length) * 100 : 0} 100`);
}

function add() {
  const text = $("text").value.trim();
  if (!text) return;
  tasks.unshift({ text, done: false });
  $("text").value = "";
  show();
}
$("add").addEventListener("click", add);
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter") add();
});

for (const button of document.querySelectorAll("[data-filter]")) {
  button.addEventListener("click", () => {
    filter = button.dataset.filter;
    for (const other of document.querySelectorAll("[data-filter]")) {
      other.classList.toggle("on", other === button);
    }
    show();
  });
}

show();
