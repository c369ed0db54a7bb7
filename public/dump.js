// Never needs the program, never writes to a store or makes one, and never reads the store of keys.
//
// Owns the export of everything this device holds, in the dump format that the program reads:
//   {"nexus":"dump","version":1,"at":ms,"app":"version",
//    "stores":{"name":[{"key":…,"value":…},…]},"local":{"nexus_…":"…"},"typed":[{"field":…,"text":…}],
//    "notes":["what could not be read",…],"sums":{"all":"SHA-256"}}
// The sum is taken over the name and the JSON of each field and record before it, each followed by a
// byte of zero (crates/model/src/dump/sums.rs). Where the browser cannot take it, the file has none.
// What JSON has no word for is an object with one key: {"$bytes":"base64"}, {"$date":ms},
// {"$int":"digits"}, {"$number":"NaN"}, {"$none":true}, {"$map":[[k,v],…]}, {"$set":[…]}; an object
// of data that looks like one of these is wrapped as {"$plain":{…}}.

(() => {
  "use strict";

  const nexus = window.__nexus;
  // Without boot.js there is nothing to hang on: watchdog.js speaks then.
  if (!nexus) return;
  const DATABASE = "nexus";
  const WITHHELD = new Set(["secrets"]);
  const LOCAL_PREFIX = "nexus_";
  const PATIENCE_MS = 5_000;
  const { tr } = nexus;
  const MARKS = new Set(["$bytes", "$date", "$int", "$number", "$none", "$map", "$set", "$plain"]);

  // ---- Values ----------------------------------------------------------------------------------

  function base64(bytes) {
    // In pieces: a call takes only so many arguments, and multiples of three need no padding.
    const PIECE = 3 * 8_192;
    const pieces = [];
    for (let from = 0; from < bytes.length; from += PIECE) {
      pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + PIECE))));
    }
    return pieces.join("");
  }

  async function portable(value) {
    switch (typeof value) {
      case "undefined":
        return { $none: true };
      case "bigint":
        return { $int: String(value) };
      case "number":
        return Number.isFinite(value) ? value : { $number: String(value) };
      case "object":
        return value === null ? null : portableObject(value);
      default:
        return value;
    }
  }

  async function portableObject(value) {
    if (value instanceof Date) return { $date: value.getTime() };
    if (value instanceof Blob) return { $bytes: base64(new Uint8Array(await value.arrayBuffer())) };
    if (value instanceof ArrayBuffer) return { $bytes: base64(new Uint8Array(value)) };
    if (ArrayBuffer.isView(value)) {
      return { $bytes: base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
    }
    if (Array.isArray(value)) return portableList(value);
    if (value instanceof Map) return { $map: await portableList([...value]) };
    if (value instanceof Set) return { $set: await portableList([...value]) };
    const fields = Object.entries(value);
    // Not by assignment: a field named "__proto__" would vanish.
    const copy = Object.fromEntries(
      await portableList(fields.map(([, inner]) => inner)).then((inner) =>
        fields.map(([name], index) => [name, inner[index]]),
      ),
    );
    return fields.length === 1 && MARKS.has(fields[0][0]) ? { $plain: copy } : copy;
  }

  async function portableList(list) {
    const copy = [];
    for (const one of list) copy.push(await portable(one));
    return copy;
  }

  // ---- IndexedDB -------------------------------------------------------------------------------

  const answer = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = (event) => {
        // One record that cannot be read must not end the transaction for the others.
        event.preventDefault();
        reject(request.error);
      };
    });

  /** The database as it is, or null where there is none: it is never made here. */
  function openExisting() {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(tr("the database does not answer"))), PATIENCE_MS);
      const settle = (done, value) => {
        clearTimeout(late);
        done(value);
      };
      const request = indexedDB.open(DATABASE);
      let absent = false;
      request.onupgradeneeded = () => {
        absent = true;
        request.transaction.abort();
      };
      request.onsuccess = () => settle(resolve, request.result);
      request.onerror = () =>
        absent ? settle(resolve, null) : settle(reject, request.error ?? new Error(tr("refused")));
      request.onblocked = () => settle(reject, new Error(tr("another tab holds the database")));
    });
  }

  /** Every record of a store; where that fails as a whole, record by record, counting the lost. */
  async function rows(store) {
    const keys = await answer(store.getAllKeys());
    try {
      const values = await answer(store.getAll());
      return { rows: keys.map((key, index) => ({ key, value: values[index] })), lost: 0 };
    } catch {
      const found = await Promise.allSettled(
        keys.map(async (key) => ({ key, value: await answer(store.get(key)) })),
      );
      const good = found.filter((one) => one.status === "fulfilled").map((one) => one.value);
      return { rows: good, lost: found.length - good.length };
    }
  }

  /** Adds the stores to `parts`, the pieces of the file, so that no string holds all of it. */
  async function writeStores(parts, notes, summed) {
    let database;
    try {
      database = await openExisting();
    } catch (error) {
      notes.push(tr("The database could not be read ({0}).", error?.message ?? error));
      return;
    }
    if (!database) return;
    const names = [...database.objectStoreNames].filter((name) => !WITHHELD.has(name));
    try {
      let first = true;
      for (const name of names) {
        // Read first, then encode: a transaction ends while it waits for anything else.
        const read = await rows(database.transaction(name, "readonly").objectStore(name)).catch(
          (error) => {
            notes.push(tr("The store “{0}” could not be read ({1}).", name, error?.message ?? error));
            return { rows: [], lost: 0 };
          },
        );
        if (read.lost) notes.push(tr("Records of “{0}” that could not be read: {1}.", name, read.lost));
        parts.push(`${first ? "" : ","}${JSON.stringify(name)}:[`);
        first = false;
        for (const [index, row] of read.rows.entries()) {
          const record = JSON.stringify({ key: await portable(row.key), value: await portable(row.value) });
          parts.push(`${index ? "," : ""}\n${record}`);
          summed.push(name, "\0", record, "\0");
        }
        parts.push("]");
      }
    } finally {
      database.close();
    }
  }

  // ---- The rest --------------------------------------------------------------------------------

  function localEntries(notes) {
    const local = {};
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(LOCAL_PREFIX)) local[key] = localStorage.getItem(key);
      }
    } catch (error) {
      notes.push(tr("The localStorage could not be read ({0}).", error?.name ?? error));
    }
    return local;
  }

  /**
   * What stands in the text areas of the page, typed and perhaps not stored yet. Only text areas:
   * a key is entered in an input field.
   */
  nexus.collectTyped = () =>
    [...document.querySelectorAll("textarea")]
      .filter((area) => area.value.trim() !== "")
      .map((area) => ({ field: area.getAttribute("aria-label") || area.id, text: area.value }));

  /** SHA-256 of these texts, in hexadecimal digits; null where the browser has none, or too little memory. */
  async function sumOf(texts) {
    try {
      const digest = await crypto.subtle.digest("SHA-256", await new Blob(texts).arrayBuffer());
      return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    } catch {
      return null;
    }
  }

  /** Everything as a file, with the notes of what could not be read. */
  nexus.dump = async (typed) => {
    const notes = [];
    const head = { nexus: "dump", version: 1, at: Date.now(), app: nexus.version };
    const parts = [`${JSON.stringify(head).slice(0, -1)},\n"stores":{`];
    const field = (name, value) => [name, "\0", JSON.stringify(value), "\0"];
    const summed = Object.entries(head).flatMap(([name, value]) => field(name, value));
    await writeStores(parts, notes, summed);
    parts.push("}");
    for (const [name, value] of Object.entries({ local: localEntries(notes), typed, notes })) {
      parts.push(`,\n"${name}":${JSON.stringify(value)}`);
      summed.push(...field(name, value));
    }
    const all = await sumOf(summed);
    parts.push(all ? `,\n"sums":{"all":"${all}"}}\n` : "}\n");
    return { file: new Blob(parts, { type: "application/json" }), notes };
  };
})();
