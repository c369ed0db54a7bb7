require("../app.js");

const play = () => $("start").fire("click");
const press = (key) => $("window").fire("keydown", { key });

test("the snake goes on by itself", () => {
  play();
  pass();
  expect($("cover").hidden).toBe(true);
});

test("fixed: Two quick turns reverse the snake", () => {
  play();
  press("ArrowUp");
  press("ArrowLeft");
  pass();
  pass();
  expect($("cover").hidden).toBe(true);
});

test("fixed: Food can appear under the snake", () => {
  // The first cell that is drawn is that of the head.
  const cells = [8, 10];
  Math.random = () => (cells.shift() ?? 0) / 20;
  drawn.length = 0;
  play();
  expect(drawn.includes("165 205")).toBe(false);
});
