require("../app.js");

function add(text) {
  $("text").value = text;
  $("add").fire("click");
}

test("a new task is on the list", () => {
  add("Bread");
  expect($("list").children.length).toBe(4);
});

test("fixed: A task is inserted as HTML", () => {
  add("Buy <b>milk</b>");
  expect($("list").children.some((item) => item.innerHTML.includes("<b>"))).toBe(false);
});

test("fixed: Closing the tab loses the list", () => {
  add("Stamps");
  expect([...kept.values()].some((text) => text.includes("Stamps"))).toBe(true);
});
