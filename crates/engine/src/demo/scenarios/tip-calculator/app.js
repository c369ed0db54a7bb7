// Nexus demo: Tip calculator
const $ = (id) => document.getElementById(id);
const money = (cents) => new Intl.NumberFormat("en-IE", { style: "currency", currency: "EUR" }).format(cents / 100);

let percent = 10;
let guests = 3;

/** The bill in cents. */
function bill() {
  return Math.round(Number($("bill").value) * 100);
}

function show() {
  const sum = bill();
  const tip = Math.round((sum * percent) / 100);
  const total = sum + tip;

  $("guests").textContent = guests;
  $("heads").textContent = guests;
  $("sum").textContent = money(sum);
  $("tip-name").textContent = percent ? `Tip ${percent} %` : "Tip";
  $("tip").textContent = money(tip);
  $("total").textContent = money(total);

  const share = Math.round(total / guests);
  $("share").textContent = money(share);
}

$("bill").addEventListener("input", show);

for (const button of document.querySelectorAll("[data-tip]")) {
  button.addEventListener("click", () => {
    percent = Number(button.dataset.tip);
    for (const other of document.querySelectorAll("[data-tip]")) {
      other.classList.toggle("on", other === button);
    }
    show();
  });
}

function seat(more) {
  guests = Math.min(40, Math.max(1, guests + more));
  show();
}
$("fewer").addEventListener("click", () => seat(-1));
$("more").addEventListener("click", () => seat(1));

show();
