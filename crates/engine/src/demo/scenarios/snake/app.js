// Nexus demo: Snake
const SIZE = 20;
const TURNS = {
  ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
  w: [0, -1], s: [0, 1], a: [-1, 0], d: [1, 0],
};

const $ = (id) => document.getElementById(id);
const board = $("board");
const pen = board.getContext("2d");
const cell = board.width / SIZE;

let snake, heading, food, score, timer;
let best = 0;

const at = (x, y) => snake.some((part) => part.x === x && part.y === y);
const any = () => Math.floor(Math.random() * SIZE);

function place() {
  food = { x: any(), y: any() };
}

function turn(to) {
  const back = to[0] === -heading[0] && to[1] === -heading[1];
  if (back) return;
  heading = to;
}

function step() {
  const x = snake[0].x + heading[0];
  const y = snake[0].y + heading[1];
  if (x < 0 || y < 0 || x >= SIZE || y >= SIZE) return end();
  if (at(x, y)) return end();
  snake.unshift({ x, y });
  if (x === food.x && y === food.y) {
    score += 1;
    place();
  } else {
    snake.pop();
  }
  draw();
  timer = setTimeout(step, Math.max(70, 150 - score * 3));
}

function blob(x, y, colour, inset, round) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x * cell + inset, y * cell + inset, cell - 2 * inset, cell - 2 * inset, round);
  pen.fill();
}

function draw() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  pen.clearRect(0, 0, board.width, board.height);
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = y % 2; x < SIZE; x += 2) blob(x, y, dark ? "rgb(255 255 255 / 3%)" : "rgb(0 60 20 / 4%)", 0, 0);
  }
  blob(food.x, food.y, dark ? "#ff7d6b" : "#e0442f", 5, cell);
  snake.forEach((part, index) => {
    const light = (dark ? 82 : 50) - (index / snake.length) * (dark ? 30 : -22);
    blob(part.x, part.y, `oklch(${light}% 0.15 150)`, 1.5, index === 0 ? 12 : 8);
  });
  const { x, y } = snake[0];
  for (const side of [-1, 1]) {
    const eye = [x + 0.5 + heading[0] * 0.2 + heading[1] * side * 0.2, y + 0.5 + heading[1] * 0.2 + heading[0] * side * 0.2];
    pen.fillStyle = dark ? "#0b1f12" : "white";
    pen.beginPath();
    pen.arc(eye[0] * cell, eye[1] * cell, cell * 0.1, 0, 7);
    pen.fill();
  }
  $("score").textContent = score;
}

function set() {
  snake = [8, 7, 6, 5].map((x) => ({ x, y: 10 }));
  heading = [1, 0];
  score = 0;
  place();
  draw();
}

function play() {
  clearTimeout(timer);
  set();
  $("cover").hidden = true;
  timer = setTimeout(step, 300);
}

function end() {
  clearTimeout(timer);
  const record = score > best;
  best = Math.max(best, score);
  $("best").textContent = best;
  $("headline").textContent = record ? `A record: ${score}` : `Game over: ${score}`;
  $("advice").textContent = "Enter or the button for another round.";
  $("start").textContent = "Again";
  $("cover").hidden = false;
}

addEventListener("keydown", (event) => {
  const to = TURNS[event.key] ?? TURNS[event.key.toLowerCase()];
  if (to && $("cover").hidden) {
    event.preventDefault();
    turn(to);
  } else if (event.key === "Enter" && !$("cover").hidden) {
    event.preventDefault();
    play();
  }
});
$("start").addEventListener("click", play);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
set();
