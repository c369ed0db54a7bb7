require("../app.js");

const choose = (kind) => $("kinds").children.find((button) => button.textContent === kind).fire("click");
function convert(amount, from, to) {
  for (const [id, value] of Object.entries({ amount, from, to })) $(id).value = value;
  $("amount").fire("input");
  return $("result").textContent.replace(",", "");
}

test("a kilometre is a thousand metres", () => {
  choose("Length");
  expect(convert("1", "kilometres", "metres")).toBe("1000");
});

test("fixed: 0 °C is shown as 0 °F", () => {
  choose("Temperature");
  expect(convert("0", "Celsius", "Fahrenheit")).toBe("32");
});

test("fixed: Numbers have too many digits", () => {
  choose("Length");
  expect(convert("3", "feet", "metres")).toBe("0.9144");
});
