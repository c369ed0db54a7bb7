// Never needs any other file of Nexus, and always has the same name, so that a page of one release finds
// it beside the files of another.
//
// Owns what is said where the program has not started after ten seconds: what went wrong as far as the
// browser told, a way to load the page again, and a way to save what is stored here.

(() => {
  "use strict";

  const AFTER_MS = 10_000;
  const STORES = ["events", "drafts", "partials"];
  let failed = "";

  const note = (event) => {
    const address = event.target && (event.target.src || event.target.href);
    const words = event.message || (event.reason && String(event.reason)) || "an unknown error";
    failed ||= address ? `${String(address).split("/").pop()} was not loaded correctly.` : `Startup failed (${words}).`;
  };
  addEventListener("error", note, true);
  addEventListener("unhandledrejection", note);

  const make = (name, text) => {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  };

  const answer = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error || new Error("refused"));
      request.onblocked = () => reject(new Error("another tab holds the database"));
      setTimeout(() => reject(new Error("the database does not answer")), AFTER_MS);
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
    said.textContent = "Collecting…";
    try {
      const file = new Blob([JSON.stringify(await stored())], { type: "application/json" });
      const link = make("a", "");
      link.href = URL.createObjectURL(file);
      link.download = "nexus-export.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      said.textContent = "Exported, without your API keys.";
    } catch (error) {
      said.textContent = `The export failed: ${(error && error.message) || error}`;
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

  function look() {
    const shell = document.getElementById("shell");
    if (!shell || document.getElementById("watchdog")) return;
    const box = make("div", "");
    box.id = "watchdog";
    box.setAttribute("role", "alert");
    const isRunning = Object.hasOwn(window, "__nexus");
    const why = failed || (isRunning
      ? "The program is still loading. The connection may be slow, or another tab keeps the storage busy."
      : "Its first file did not run. The browser may have cached an older release, or an extension may have changed the page.");
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
      make("p", `Nexus has not started after ten seconds. ${why}`),
      make("p", "Your saved data is still on this device."),
      button("watchdog-reload", "Reload with fresh files", reload),
      button("watchdog-export", "Export saved data", () => save(said)),
      said,
    );
    shell.append(box);
  }

  setTimeout(look, AFTER_MS);
})();
