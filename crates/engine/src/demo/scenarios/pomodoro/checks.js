let now = 0;
Date.now = () => now;
lists["[data-minutes]"] = [25, 5].map((minutes) => Object.assign(new Thing(), { dataset: { minutes } }));
require("../app.js");

const [long, short] = lists["[data-minutes]"];
function start() {
  timers.clear();
  long.fire("click");
  $("go").fire("click");
}

test("it counts down", () => {
  start();
  now += 1000;
  pass();
  expect($("time").textContent).toBe("24:59");
});

test("fixed: Changing the length while it runs doubles the speed", () => {
  start();
  short.fire("click");
  expect(timers.size).toBe(0);
});

test("fixed: It is too slow in a background tab", () => {
  start();
  now += 60000;
  pass();
  expect($("time").textContent).toBe("24:00");
});

test("fixed: The tab title does not show the time", () => {
  start();
  expect(document.title.includes("25:00")).toBe(true);
});
