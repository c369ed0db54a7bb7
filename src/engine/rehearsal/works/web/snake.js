const CELLS = 20;
const STEP_MS = 130;
const pen = $("board").getContext("2d");
const size = $("board").width / CELLS;
const ways = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
let snake = [[10, 10]];
let way = [1, 0];
let turn = way;
let food = [15, 10];
let running = 0;
let best = app.load("best", 0);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
const hits = ([x, y], cells) => cells.some(([a, b]) => a === x && b === y);
const score = () => snake.length - 1;
const draw = () => {
  pen.clearRect(0, 0, $("board").width, $("board").height);
  pen.fillStyle = colour("--accent");
  for (const [x, y] of snake) {
    pen.fillRect(x * size + 1, y * size + 1, size - 2, size - 2);
  }
  pen.fillStyle = "#c2410c";
  pen.beginPath();
  pen.arc((food[0] + 0.5) * size, (food[1] + 0.5) * size, size / 2.5, 0, 7);
  pen.fill();
  $("score").textContent = score();
  $("best").textContent = best;
};
const place = () => {
  do {
    food = [Math.floor(Math.random() * CELLS), Math.floor(Math.random() * CELLS)];
  } while (hits(food, snake));
};
const end = () => {
  clearInterval(running);
  running = 0;
  best = Math.max(best, score());
  app.save("best", best);
  document.dispatchEvent(new Event("app:done"));
  app.changed("Game over with " + score());
};
const step = () => {
  way = turn;
  const head = [snake[0][0] + way[0], snake[0][1] + way[1]];
  if (head.some((at) => at < 0 || at >= CELLS) || hits(head, snake)) {
    end();
  } else {
    snake.unshift(head);
    if (hits(head, [food])) {
      place();
      app.changed("Score " + score());
    } else {
      snake.pop();
    }
  }
  draw();
};
const steer = (next) => {
  if (next && (next[0] !== -way[0] || next[1] !== -way[1])) {
    turn = next;
  }
};
document.addEventListener("keydown", (event) => {
  if (ways[event.key] && running) {
    event.preventDefault();
    steer(ways[event.key]);
  }
});
let touch = [0, 0];
$("board").addEventListener("pointerdown", (event) => {
  touch = [event.clientX, event.clientY];
});
$("board").addEventListener("pointerup", (event) => {
  const [x, y] = [event.clientX - touch[0], event.clientY - touch[1]];
  steer(Math.abs(x) > Math.abs(y) ? [Math.sign(x), 0] : y === 0 ? null : [0, Math.sign(y)]);
});
app.reset = () => {
  clearInterval(running);
  snake = [[10, 10]];
  turn = way = [1, 0];
  place();
  running = setInterval(step, STEP_MS);
  draw();
  app.changed("Game started");
};
app.stats = () => [["Score", score()], ["Best", best]];
$("again").addEventListener("click", app.reset);
draw();
