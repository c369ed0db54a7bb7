// The page as far as app.js needs it: things by their ids, which keep what is put into them and hear events.
const drawn = [];
const pen = { beginPath() {}, fill() {}, clearRect() {}, arc() {}, roundRect: (x, y) => drawn.push(`${x} ${y}`) };

class Thing {
  constructor() {
    Object.assign(this, { children: [], parts: {}, heard: [], dataset: {}, style: {}, attributes: {} });
    Object.assign(this, { textContent: "", innerHTML: "", value: "", hidden: false, width: 400, height: 400 });
    this.classList = { toggle() {} };
  }
  addEventListener(type, run) { this.heard.push([type, run]); }
  fire(type, event = {}) {
    for (const [heard, run] of this.heard) if (heard === type) run({ preventDefault() {}, ...event });
  }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  append(...more) { this.children.push(...more); }
  replaceChildren(...now) { this.children = now; }
  insertCell() { return this.children[this.children.push(new Thing()) - 1]; }
  querySelector(part) { return (this.parts[part] ??= new Thing()); }
  getContext() { return pen; }
}

const things = {};
const lists = {};
const kept = new Map();
const timers = new Map();
let made = 0;
const $ = (id) => (things[id] ??= new Thing());
const repeat = (run) => (timers.set((made += 1), run), made);
const once = (run) => {
  const id = repeat(() => (timers.delete(id), run()));
  return id;
};
const stop = (id) => timers.delete(id);
/** Lets every timer run once. */
const pass = () => [...timers.values()].forEach((run) => run());

Object.assign(globalThis, {
  document: { title: "", getElementById: $, createElement: () => new Thing(), querySelectorAll: (list) => lists[list] ?? [] },
  localStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) },
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  Option: function (text) { return Object.assign(new Thing(), { textContent: text }); },
  addEventListener: (type, run) => $("window").addEventListener(type, run),
  setTimeout: once, setInterval: repeat, clearTimeout: stop, clearInterval: stop,
});
