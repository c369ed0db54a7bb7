// Nexus demo: Unit converter
const $ = (id) => document.getElementById(id);

// Each unit by its name and what one of it is in the first unit of its kind.
const KINDS = {
  Length: { metres: 1, kilometres: 1000, centimetres: 0.01, miles: 1609.344, feet: 0.3048, inches: 0.0254 },
  Weight: { kilograms: 1, grams: 0.001, tonnes: 1000, pounds: 0.45359237, ounces: 0.028349523125 },
  Temperature: { Celsius: 1, Fahrenheit: 5 / 9, kelvin: 1 },
  Speed: { "metres per second": 1, "kilometres per hour": 1 / 3.6, "miles per hour": 0.44704, knots: 1852 / 3600 },
};

let kind = "Length";

function convert(amount, from, to) {
  const units = KINDS[kind];
  return (amount * units[from]) / units[to];
}

function written(number) {
  return String(number);
}

function show() {
  const amount = Number($("amount").value);
  const [from, to] = [$("from").value, $("to").value];
  $("result").textContent = written(convert(amount, from, to));
  $("all").replaceChildren(...Object.keys(KINDS[kind]).map((unit) => {
    const row = document.createElement("tr");
    row.insertCell().textContent = unit;
    row.insertCell().textContent = written(convert(amount, from, unit));
    return row;
  }));
}

function choose(name) {
  kind = name;
  const units = Object.keys(KINDS[kind]);
  for (const [id, unit] of [["from", units[0]], ["to", units[1]]]) {
    $(id).replaceChildren(...units.map((name) => new Option(name, name)));
    $(id).value = unit;
  }
  for (const button of $("kinds").children) {
    button.classList.toggle("on", button.textContent === name);
    button.setAttribute("aria-pressed", button.textContent === name);
  }
  show();
}

for (const name of Object.keys(KINDS)) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => choose(name));
  $("kinds").append(button);
}
for (const id of ["amount", "from", "to"]) $(id).addEventListener("input", show);
$("swap").addEventListener("click", () => {
  [$("from").value, $("to").value] = [$("to").value, $("from").value];
  show();
});
choose("Length");
