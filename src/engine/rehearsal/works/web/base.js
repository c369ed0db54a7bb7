// {{comment}}: behaviour. Needs no network.
"use strict";

const $ = (id) => document.getElementById(id);
const app = {
  key: {{key}},
  reset() {},
  stats: () => [],
  text: () => document.querySelector("main").innerText,
  changed(what) {
    document.dispatchEvent(new CustomEvent("app:changed", { detail: what }));
  },
  load(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(app.key + name)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  save(name, value) {
    try {
      localStorage.setItem(app.key + name, JSON.stringify(value));
    } catch {
      console.info("Storage is denied here: " + name + " lasts until the page closes.");
    }
  },
};
const make = (tag, ...inside) => {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
};

{{stage}}
document.dispatchEvent(new Event("app:ready"));
