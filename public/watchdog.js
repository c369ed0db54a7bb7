// Never needs any other file of Nexus, and always has the same name, so that a page of one release finds
// it beside the files of another.
//
// Owns what is said where the program has not started after ten seconds: what went wrong as far as the
// browser told, a way to load the page again, and a way to save what is stored here.

(() => {
  "use strict";

  const AFTER_MS = 10_000;
  const STORES = ["events", "drafts", "partials"];
  const base = document.currentScript.src;
  /** What went wrong: its text, and what that is about. */
  let failed = null;
  let tr = (text, value) => text.replace("{0}", value);

  const note = (event) => {
    const address = event.target && (event.target.src || event.target.href);
    const words = event.message || (event.reason && String(event.reason));
    failed ||= address
      ? () => tr("{0} was not loaded correctly.", String(address).split("/").pop())
      : () => tr("Startup failed ({0}).", words || tr("an unknown error"));
  };
  addEventListener("error", note, true);
  addEventListener("unhandledrejection", note);

  /** Speaks as boot.js does; where that did not run, with the words of the page's language, as far as they come. */
  async function translate() {
    if (window.__nexus && window.__nexus.tr) {
      tr = window.__nexus.tr;
      return;
    }
    const chosen = (JSON.parse(localStorage.getItem("nexus_boot")) || {}).language || navigator.language;
    const named = document.querySelector('meta[name="nexus-languages"]').content.split(";");
    const own = named.map((one) => one.split(" ")).find(([tag]) => `${chosen}-`.startsWith(`${tag}-`));
    if (!own) return;
    const words = await (await fetch(new URL(own[1], base), { integrity: own[2], signal: AbortSignal.timeout(3_000) })).json();
    tr = (text, value) => (words[text] || text).replace("{0}", value);
    document.documentElement.lang = own[0];
  }

  const make = (name, text) => {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  };

  const answer = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error || new Error(tr("refused")));
      request.onblocked = () => reject(new Error(tr("another tab holds the database")));
      setTimeout(() => reject(new Error(tr("the database does not answer"))), AFTER_MS);
    });

  /** Data of a record that looks like a mark of the export is wrapped (public/dump.js). */
  const plain = (value) => {
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    const fields = Object.entries(value).map(([name, inner]) => [name, plain(inner)]);
    const copy = Object.fromEntries(fields);
    const isMark = fields.length === 1 && /^\$(bytes|date|int|number|none|map|set|plain)$/.test(fields[0][0]);
    return isMark ? { $plain: copy } : copy;
  };

  /** What is stored, as a file that an import takes. */
  async function stored() {
    // What an extension put there would be asked how to write each record.
    Reflect.deleteProperty(Object.prototype, "toJSON");
    const request = indexedDB.open("nexus");
    // A database is never made here.
    request.onupgradeneeded = () => request.transaction.abort();
    const database = await answer(request);
    const stores = {};
    try {
      for (const name of STORES.filter((one) => database.objectStoreNames.contains(one))) {
        const store = database.transaction(name).objectStore(name);
        const [keys, values] = await Promise.all([answer(store.getAllKeys()), answer(store.getAll())]);
        stores[name] = keys.map((key, at) => ({ key, value: plain(values[at]) }));
      }
    } finally {
      database.close();
    }
    const draft = document.getElementById("boot-draft");
    const typed = draft && draft.value ? [{ field: "Write your message while Nexus starts", text: draft.value }] : [];
    const notes = ["Written because the program did not start."];
    return { nexus: "dump", version: 1, at: Date.now(), app: "unknown", stores, local: {}, typed, notes };
  }

  async function save(said) {
    said.textContent = tr("Collecting…");
    try {
      const file = new Blob([JSON.stringify(await stored())], { type: "application/json" });
      const link = make("a", "");
      link.href = URL.createObjectURL(file);
      link.download = "nexus-export.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      said.textContent = tr("Exported, without your API keys.");
    } catch (error) {
      said.textContent = `${tr("The export failed")}: ${(error && error.message) || error}`;
    }
  }

  /** Removes the worker that starts the page without a network, with all that it kept. */
  async function withoutWorker() {
    const worker = await navigator.serviceWorker.getRegistration();
    if (worker) await worker.unregister();
    const kept = (await caches.keys()).filter((name) => name.startsWith("nexus "));
    await Promise.all(kept.map((name) => caches.delete(name)));
  }

  /** Fetches the files of the page anew, so that none of an older release comes from a cache. */
  async function reload() {
    // Where there is none, or none may be, nothing is to be removed.
    await withoutWorker().catch(() => {});
    const files = [...document.querySelectorAll("script[src], link[href]")].map((file) => file.src || file.href);
    const fetched = [location.href, ...files].map((url) => fetch(url, { cache: "reload" }));
    const patience = new Promise((done) => setTimeout(done, 5_000));
    await Promise.race([Promise.allSettled(fetched), patience]);
    location.reload();
  }

  async function look() {
    const shell = document.getElementById("shell");
    if (!shell || document.getElementById("watchdog")) return;
    await translate().catch(() => {});
    // It may have started meanwhile.
    if (!shell.isConnected) return;
    const box = make("div", "");
    box.id = "watchdog";
    box.setAttribute("role", "alert");
    const isRunning = Object.hasOwn(window, "__nexus");
    const why = failed ? failed() : isRunning
      ? tr("The program is still loading. The connection may be slow, or another tab keeps the storage busy.")
      : tr("Its first file did not run. The browser may have cached an older release, or an extension may have changed the page.");
    const said = make("p", "");
    said.setAttribute("role", "status");
    const button = (id, text, act) => {
      const node = make("button", text);
      node.id = id;
      node.type = "button";
      node.className = "recovery-button";
      node.addEventListener("click", act);
      return node;
    };
    box.append(
      make("p", `${tr("Nexus has not started after ten seconds.")} ${why}`),
      make("p", tr("Your saved data is still on this device.")),
      button("watchdog-reload", tr("Reload with fresh files"), reload),
      button("watchdog-export", tr("Export saved data"), () => save(said)),
      said,
    );
    shell.append(box);
  }

  setTimeout(look, AFTER_MS);
})();
