// Nexus demo: Pomodoro timer
const $ = (id) => document.getElementById(id);

let minutes = 25;
let left = minutes * 60;
let timer = null;
let rounds = 0;

const clock = (seconds) => `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;

function show() {
  $("time").textContent = clock(left);
  const share = left / (minutes * 60);
  $("run").setAttribute("stroke-dasharray", `${share} 1`);
  $("run").style.opacity = share > 0 ? 1 : 0;
  $("dial").classList.toggle("on", timer !== null);
  $("go").textContent = timer === null ? "Start" : "Pause";
  $("dots").textContent = "●".repeat(rounds);
  $("rounds").textContent = rounds === 0 ? "No round yet" : `${rounds} ${rounds === 1 ? "round" : "rounds"} of focus`;
}

function tick() {
  left -= 1;
  if (left <= 0) {
    pause();
    finish();
  }
  show();
}

function start() {
  if (left === 0) left = minutes * 60;
  timer = setInterval(tick, 1000);
}

function pause() {
  clearInterval(timer);
  timer = null;
}

function finish() {
  left = 0;
  if (minutes === 25) rounds += 1;
}

function choose(button) {
  minutes = Number(button.dataset.minutes);
  left = minutes * 60;
  timer = null;
  $("what").textContent = button.textContent;
  for (const other of document.querySelectorAll("[data-minutes]")) {
    other.setAttribute("aria-pressed", other === button);
  }
  show();
}

for (const button of document.querySelectorAll("[data-minutes]")) {
  button.addEventListener("click", () => choose(button));
}
$("go").addEventListener("click", () => {
  if (timer === null) start();
  else pause();
  show();
});
$("reset").addEventListener("click", () => {
  pause();
  left = minutes * 60;
  show();
});
show();
