require("../app.js");

const cents = (id) => Math.round(Number($(id).textContent.replace(/[^\d.]/g, "")) * 100);
function type(bill) {
  $("bill").value = bill;
  $("bill").fire("input");
}

test("the tip is added to the bill", () => {
  type("80");
  expect(cents("total")).toBe(8800);
});

test("fixed: The shares do not add up to the total", () => {
  type("86.50");
  expect(3 * cents("share") <= cents("total")).toBe(true);
});

test("fixed: A bill with a comma becomes € NaN", () => {
  type("86,50");
  expect(cents("total")).toBe(9515);
});
