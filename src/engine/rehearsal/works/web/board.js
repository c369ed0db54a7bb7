const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
let cells = Array(9).fill("");
let wins = app.load("wins", { X: 0, O: 0 });

const winner = () => LINES.map(([a, b, c]) => cells[a] && cells[a] === cells[b] && cells[b] === cells[c] && cells[a]).find(Boolean);
const player = () => (cells.filter(Boolean).length % 2 ? "O" : "X");
const show = () => {
  $("cells").replaceChildren(
    ...[0, 3, 6].map((from) => {
      const line = make("div");
      line.className = "row board";
      line.append(
        ...cells.slice(from, from + 3).map((mark, offset) => {
          const cell = make("button", mark || "·");
          cell.type = "button";
          cell.className = "big";
          cell.setAttribute("aria-label", "Cell " + (from + offset + 1) + " " + (mark || "empty"));
          cell.addEventListener("click", () => play(from + offset));
          return cell;
        }),
      );
      return line;
    }),
  );
  const won = winner();
  $("state").textContent = won ? won + " wins" : cells.every(Boolean) ? "A draw" : player() + " to move";
};
const play = (at) => {
  if (cells[at] || winner()) {
    return;
  }
  cells[at] = player();
  const won = winner();
  if (won) {
    wins[won] += 1;
    app.save("wins", wins);
    document.dispatchEvent(new Event("app:done"));
  }
  show();
  app.changed(cells[at] + " on " + (at + 1));
};
app.reset = () => {
  cells = Array(9).fill("");
  show();
  app.changed("New game");
};
app.stats = () => [["Wins of X", wins.X], ["Wins of O", wins.O]];
$("again").addEventListener("click", app.reset);
show();
