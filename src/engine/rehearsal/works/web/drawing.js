const pen = $("board").getContext("2d");
let strokes = app.load("strokes", []);
let current = null;

const draw = () => {
  pen.clearRect(0, 0, $("board").width, $("board").height);
  pen.lineCap = pen.lineJoin = "round";
  for (const { colour, width, points } of strokes) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const [x, y] of points) {
      pen.lineTo(x, y);
    }
    pen.stroke();
  }
};
const point = (event) => {
  const scale = $("board").width / $("board").clientWidth;
  return [Math.round(event.offsetX * scale), Math.round(event.offsetY * scale)];
};
const keep = (what) => {
  draw();
  app.save("strokes", strokes);
  app.changed(what);
};
$("board").addEventListener("pointerdown", (event) => {
  $("board").setPointerCapture(event.pointerId);
  const [x, y] = point(event);
  current = { colour: $("colour").value, width: Number($("width").value), points: [[x, y], [x, y + 0.1]] };
  strokes.push(current);
  draw();
});
$("board").addEventListener("pointermove", (event) => {
  if (current) {
    current.points.push(point(event));
    draw();
  }
});
$("board").addEventListener("pointerup", () => {
  current = null;
  keep("A stroke");
});
$("undo").addEventListener("click", () => {
  strokes.pop();
  keep("Undone");
});
app.reset = () => {
  strokes = [];
  keep("Cleared");
};
app.stats = () => [["Strokes", strokes.length]];
$("clear").addEventListener("click", app.reset);
draw();
