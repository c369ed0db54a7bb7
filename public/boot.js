// Never needs the program: this runs before it, and goes on when it has failed. Never turns a string
// into code or markup, and never sends anything anywhere.
//
// Owns everything that must be known or watched before the program runs: which screen it will be (and
// has its files fetched), what was in view last, the narrowed connect policy, the one Trusted Types policy, the listeners that
// notice a crash, and the start of the program itself. What is shown after a crash is recovery.js,
// what is exported then is dump.js; both are loaded after this file and hang on the same object.

(() => {
  "use strict";

  const CRASHES_TO_SAFE_MODE = 3;
  const CRASH_WINDOW_MS = 60_000;
  const ERRORS_KEPT = 5;
  const SLOW_START_MS = 10_000;

  const page = document.documentElement;
  // The folder this script came from is the folder of the build, whichever page of it is open.
  const base = new URL(".", document.currentScript.src);
  const meta = (name) => document.querySelector(`meta[name="${name}"]`);

  /**
   * Takes back what an extension or a script of the host put on the prototypes of all objects. There it
   * reaches into everything: with `toJSON` whatever is stored reads as something else, with `get` no
   * property can be defined. Gives the names of what does harm and cannot be taken back.
   */
  function cleanPrototypes() {
    const harmful = ["toJSON", "get", "set", "value", "writable", "enumerable", "configurable", "then"];
    const owned = [Object, Array, String, Number, Boolean].map((kind) => kind.prototype);
    return harmful.filter((name) =>
      owned.some((owner) => {
        if (!Object.hasOwn(owner, name)) return false;
        try {
          return !Reflect.deleteProperty(owner, name);
        } catch {
          return true;
        }
      }),
    );
  }

  const stuck = cleanPrototypes();

  const nexus = {
    base: base.href,
    version: meta("nexus-version")?.content || "unknown",
    safe: new URLSearchParams(location.search).get("safe") === "1",
    // See trustedTypes().
    scriptUrl: null,
    // Set by dump.js.
    dump: null,
    // See part().
    part: null,
    // Set by recovery.js.
    showRecovery: null,
    // The first crash, once there was one.
    crash: null,
    // See languages().
    languages: [],
    // See fetchLanguage().
    language: null,
    tr: null,
  };
  Object.defineProperty(window, "__nexus", { __proto__: null, value: nexus });

  /** Runs `work` on a storage that may be denied, full or absent; `fallback` then. */
  const attempt = (work, fallback) => {
    try {
      return work() ?? fallback;
    } catch {
      return fallback;
    }
  };
  const parsed = (text, fallback) => attempt(() => JSON.parse(text), fallback);

  // ---- Before the program ----------------------------------------------------------------------

  // The router and every link of the program start from here.
  page.dataset.base = base.pathname;

  /**
   * Closes fetch to all but the page itself and the providers the operator set up. Policies add up:
   * a second one can only take away, and removing its element does not give anything back.
   */
  function narrowConnect(entries) {
    const allowed = (Array.isArray(entries) ? entries : []).flatMap((entry) => {
      const url = attempt(() => new URL(entry), null);
      return url && /^(https?|wss?):$/.test(url.protocol) ? [`${url.protocol}//${url.host}`] : [];
    });
    if (allowed.length === 0) return;
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    const origins = [...new Set(allowed)].join(" ");
    policy.content = `connect-src 'self' ${origins}`;
    document.head.append(policy);
    // The program says which providers only the next load of the page may call.
    page.dataset.origins = origins;
  }

  /** The only policy there is: it lets the build's own scripts through and makes nothing else. */
  function trustedTypes() {
    const ownScript = (text) => {
      const url = new URL(text, base);
      const own = url.origin === base.origin && url.pathname.startsWith(base.pathname);
      if (!own || !/\.m?js$/.test(url.pathname) || url.search || url.hash) {
        throw new TypeError(`Not a script of this build: ${url.origin}${url.pathname}`);
      }
      return url.href;
    };
    const policy = window.trustedTypes?.createPolicy("nexus", { createScriptURL: ownScript });
    nexus.scriptUrl = (text) => (policy ? policy.createScriptURL(text) : ownScript(text));
  }

  const fetchSoon = (as, href, integrity) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as, crossOrigin: "anonymous", integrity, href });
    document.head.append(link);
  };

  /**
   * Which screen it will be is known before the program runs: what that needs is fetched beside the program, not after
   * it has run. Whoever has not finished the first start comes to it again.
   */
  function fetchAhead(isSetUp) {
    const files = meta("nexus-app")?.dataset;
    const isHome = files && location.pathname === base.pathname;
    const wasHere = isSetUp ?? attempt(() => localStorage.getItem("nexus_session_id") !== null, false);
    const picture = isHome && wasHere ? keptPicture() : null;
    if (!picture) delete page.dataset.picture;
    if (!isHome) return;
    for (const name of ((wasHere ? files.room : files.first) ?? "").split(" ").filter(Boolean)) {
      fetchSoon("fetch", new URL(name, base).href, "");
    }
    if (!wasHere) return;
    // The sheets stand behind this script.
    document.addEventListener("DOMContentLoaded", () => {
      const sheets = document.querySelectorAll('link[data-style~="war_room"]');
      for (const sheet of sheets) fetchSoon("style", sheet.href, sheet.integrity);
      if (picture) showPicture(picture);
    });
  }

  // ---- What was in view last -------------------------------------------------------------------

  // A picture of the war room as it was left, shown until the program has loaded it: a tree of elements with their
  // looks, without addresses and without anything to use. Kept only while the page is hidden or closed.
  const PICTURE = "nexus_picture";
  const PICTURE_CHARACTERS = 300_000;
  const LEFT_OUT = "script, style, link, meta, base, iframe, object, embed, dialog, img, .board";
  const LOOKS = /^(class|dir|lang|hidden|open|disabled|type|rows|placeholder|viewBox|width|height|d|[cr]?[xy][12]?|r|aria-(current|disabled|expanded|haspopup|invalid|keyshortcuts|orientation|pressed|selected)|readonly|role|data-(?!testid$)[\w-]+)$/;

  const tabSession = () => attempt(() => sessionStorage.getItem("nexus_tab_session"), "");
  const bootSettings = () => attempt(() => parsed(localStorage.getItem("nexus_boot"), {}), {});
  const forgetPicture = () => attempt(() => localStorage.removeItem(PICTURE));

  const boxOf = (node) => node.getBoundingClientRect();

  /** An element with its looks and with what of it is in view; a text as it is. */
  function pictureOf(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) return null;
    const { top, bottom, height } = boxOf(node);
    if (height && (bottom < 0 || top > innerHeight) && node.parentElement.scrollTop) return null;
    const looks = [...node.attributes].filter(({ name }) => LOOKS.test(name)).map(({ name, value }) => [name, value]);
    const inside = [...node.childNodes].map((child) => [child, pictureOf(child)]).filter(([, one]) => one !== null);
    const seen = node.scrollTop ? inside.findIndex(([child, one]) => one.tag && boxOf(child).height) : -1;
    return {
      tag: node.localName,
      looks,
      inside: inside.map(([, one]) => one),
      style: node.style.cssText || undefined,
      // Where an element in it stands, if it is scrolled: what is above the view is left out.
      stands: seen < 0 ? undefined : [seen, boxOf(inside[seen][0]).top - top],
    };
  }

  function keepPicture() {
    // Hidden before the program had taken over: nothing has changed.
    if (document.getElementById("shell")) return;
    forgetPicture();
    const room = document.querySelector("#app > .war-room");
    if (!room || nexus.crash || nexus.safe || !bootSettings().is_set_up) return;
    // Only what the program shows first at its next start: the end of a conversation at rest, and no draft.
    const list = room.querySelector(".timeline");
    const below = list.scrollHeight - list.scrollTop - list.clientHeight;
    const other = room.querySelector(".run-state:is([data-state=running], [data-state=queued]), .chat [aria-expanded=true], .gauge[aria-expanded=true], .composer[data-large=true]");
    if (!list.clientHeight || below > 40 || other || room.querySelector(".composer textarea").value) return;
    // A message sent in the picture goes to all agents, without attachments and overrides.
    if (room.querySelector(".composer :is(.image-chip, .override-chip)")) return;
    if (room.querySelector(".composer select")?.value !== "ALL") return;
    const focus = document.activeElement?.id === "composer";
    const text = JSON.stringify({ session: tabSession(), focus, room: pictureOf(room) });
    if (text.length < PICTURE_CHARACTERS) attempt(() => localStorage.setItem(PICTURE, text));
  }

  /** The picture of the session that this tab will show. */
  function keptPicture() {
    const kept = attempt(() => parsed(localStorage.getItem(PICTURE), null), null);
    return kept && !nexus.safe && [kept.session, ""].includes(tabSession()) ? kept : null;
  }

  function draw({ tag, looks, inside, style, stands }, parent, scrolled) {
    const node = document.createElementNS(tag === "svg" ? "http://www.w3.org/2000/svg" : parent.namespaceURI, tag);
    if (node.matches(LEFT_OUT)) return "";
    for (const [name, text] of looks) if (LOOKS.test(name)) node.setAttribute(name, text);
    node.append(...inside.map((one) => (typeof one === "string" ? one : draw(one, node, scrolled))));
    if (style) node.style.cssText = style;
    if (stands) scrolled.push([node, ...stands]);
    return node;
  }

  /** Shows the picture in the static page, around the field that the program takes over; only the message can be used. */
  async function showPicture({ focus, room: picture }) {
    const sheets = document.querySelectorAll('link[rel=stylesheet]:is(:not([data-style]), [data-style~="war_room"])');
    await Promise.all([...sheets].filter((sheet) => !sheet.sheet).map((sheet) => new Promise((done) => {
      sheet.onload = sheet.onerror = done;
      sheet.disabled = false;
    })));
    const shell = document.getElementById("shell");
    delete page.dataset.picture;
    if (!shell || nexus.crash) return;
    const scrolled = [];
    const room = draw(picture, shell, scrolled);
    const field = room.querySelector(".composer textarea");
    const draft = document.getElementById("boot-draft");
    const hasFocus = focus || document.activeElement === draft;
    const send = room.querySelector(".composer [type=submit]");
    if (!field || !send) return;
    draft.ariaLabel = document.querySelector(".shell-label").textContent;
    Object.assign(draft, { className: field.className, placeholder: field.placeholder, rows: field.rows });
    field.replaceWith(draft);
    const isUsed = (node) => node.contains(draft) || node.contains(send);
    for (const node of room.querySelectorAll("*")) node.inert = isUsed(node.parentNode) && !isUsed(node);
    sendWhenTakenOver(draft, send);
    shell.className = "picture";
    shell.replaceChildren(room, document.getElementById("boot-status"));
    if (hasFocus) draft.focus();
    for (const [node, seen, top] of scrolled) node.scrollTop += boxOf(node.childNodes[seen]).top - boxOf(node).top - top;
  }

  /** Enter and Send mark the message: the program sends it when it takes over, unless it is edited before. */
  function sendWhenTakenOver(draft, send) {
    const said = document.getElementById("boot-status");
    const before = said.textContent;
    const mark = (event) => {
      event.preventDefault();
      if (!draft.value.trim()) return;
      draft.dataset.sends = "";
      said.textContent = tr("Sent as soon as Nexus has started.");
    };
    draft.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing) mark(event);
    });
    draft.addEventListener("input", () => {
      if (!("sends" in draft.dataset)) return;
      delete draft.dataset.sends;
      said.textContent = before;
    });
    send.addEventListener("click", mark);
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? keepPicture() : forgetPicture()));
  window.addEventListener("pagehide", keepPicture);
  // Once the program has taken over, whoever does something sees what it shows.
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, () => document.querySelector(".picture[inert]")?.remove(), true);
  }

  // ---- Language --------------------------------------------------------------------------------

  let words = {};

  /** An English text in the language of the page, with its values; English until that has come. */
  const tr = (text, ...values) => (words[text] ?? text).replace(/\{(\d)\}/g, (_, place) => values[place]);
  nexus.tr = tr;

  /** The languages of this build besides English (xtask/src/languages.rs). */
  const languages = () =>
    (meta("nexus-languages")?.content ?? "").split(";").filter(Boolean).map((one) => {
      const [tag, file, integrity, ...name] = one.split(" ");
      return { tag, file, integrity, name: name.join(" ") };
    });

  /** The one that was chosen, else the first that the browser asks for; none is English. */
  function languageOf(chosen) {
    for (const wanted of chosen ? [chosen] : navigator.languages) {
      const is = (tag) => `${wanted}-`.toLowerCase().startsWith(`${tag}-`.toLowerCase());
      if (is("en")) return null;
      const found = nexus.languages.find(({ tag }) => is(tag));
      if (found) return found;
    }
    return null;
  }

  /** Writes what the platform knows of a language (nexus_view::language::Format). */
  function formatsOf(tag) {
    const made = new Map();
    const make = {
      plural: () => new Intl.PluralRules(tag),
      number: (digits) =>
        new Intl.NumberFormat(tag, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
      money: () => new Intl.NumberFormat(tag, { style: "currency", currency: "USD" }),
      day: () => new Intl.DateTimeFormat(tag, { dateStyle: "full", timeZone: "UTC" }),
      time: () => new Intl.DateTimeFormat(tag, { timeStyle: "short", timeZone: "UTC" }),
      list: () => new Intl.ListFormat(tag),
    };
    const unit = { day: 86_400_000, time: 60_000 };
    return (kind, value, digits) => {
      const key = kind + digits;
      if (!made.has(key)) made.set(key, make[kind](digits));
      if (kind === "plural") return made.get(key).select(value);
      return made.get(key).format(kind in unit ? value * unit[kind] : value);
    };
  }

  /** The words of a language, for the program and for what is shown before and after it. */
  async function fetchLanguage({ tag, file, integrity }) {
    const response = await fetch(new URL(file, base), { integrity });
    if (!response.ok) throw new LoadError(tr("{0} answered {1}", file, response.status));
    const text = await response.text();
    words = JSON.parse(text);
    nexus.language = { words: text, format: formatsOf(tag) };
    page.lang = tag;
    for (const part of document.querySelectorAll("#boot-status, .shell-label")) {
      part.textContent = tr(part.textContent);
    }
    const draft = document.getElementById("boot-draft");
    if (draft) draft.placeholder = tr(draft.placeholder);
  }

  // ---- Crashes ---------------------------------------------------------------------------------

  /** Takes out what looks like a key, so that a report can be shown and sent. */
  const scrub = (text) =>
    String(text ?? "")
      .replace(/\b(AIza|sk-|gsk_|xai-|ghp_|hf_|r8_)[\w-]{8,}/g, "$1…")
      .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, "$1 …")
      .replace(/([?&#](?:api_?)?(?:key|token|secret|code)=)[^&\s"']+/gi, "$1…")
      .slice(0, 8_000);

  /** Counts this crash with those just before it, in this tab; they survive a reload. */
  function crashesJustNow(now) {
    const key = "nexus_crashes";
    const earlier = attempt(() => parsed(sessionStorage.getItem(key), []), []);
    const recent = (Array.isArray(earlier) ? earlier : []).filter((at) => now - at < CRASH_WINDOW_MS);
    recent.push(now);
    attempt(() => sessionStorage.setItem(key, JSON.stringify(recent)));
    return recent.length;
  }

  /** Keeps the crash for the next start, which tells it and clears the list. */
  function keep(crash) {
    const key = "nexus_critical_errors";
    const kept = attempt(() => parsed(localStorage.getItem(key), []), []);
    const list = Array.isArray(kept) ? kept : [];
    // The program's own hook may have written the same one a moment ago.
    if (list.some((one) => one?.message === crash.message && crash.at - one?.at < 2_000)) return;
    const { at, kind, message, location, version, lastAction } = crash;
    list.push({ at, kind, message, location, version, lastAction });
    attempt(() => localStorage.setItem(key, JSON.stringify(list.slice(-ERRORS_KEPT))));
  }

  /** `kind`: panic (the program said so), trap (it could not), start, load. The first one counts. */
  function crashed(kind, report) {
    if (nexus.crash) return;
    const at = Date.now();
    const count = crashesJustNow(at);
    nexus.crash = {
      at,
      kind,
      message: scrub(report.message),
      location: scrub(report.location),
      version: scrub(report.version || nexus.version),
      lastAction: scrub(report.lastAction),
      stack: scrub(report.stack),
      offerSafeMode: count >= CRASHES_TO_SAFE_MODE && !nexus.safe,
    };
    keep(nexus.crash);
    // recovery.js is deferred: when it is not there yet it finds the crash and shows it by itself.
    if (nexus.showRecovery) nexus.showRecovery(nexus.crash);
    else status(`${tr("Nexus has stopped")}: ${nexus.crash.message}`);
  }

  /** Called by the panic hook of the program with `{message, location, version, lastAction}`. */
  window.__nexusCrash = (report) => crashed("panic", report ?? {});

  /** Traps have no hook: out of memory, stack overflow, `unreachable`. Other errors are not crashes. */
  function isTrap(error) {
    if (error instanceof WebAssembly.RuntimeError) return true;
    return error instanceof RangeError && /\bwasm\b/.test(String(error.stack));
  }

  function watch() {
    if (typeof WebAssembly !== "object") return;
    const trapped = (error) => {
      if (isTrap(error)) crashed("trap", { message: String(error), stack: error.stack });
    };
    window.addEventListener("error", (event) => trapped(event.error));
    window.addEventListener("unhandledrejection", (event) => trapped(event.reason));
  }

  // ---- Start -----------------------------------------------------------------------------------

  function status(text) {
    const line = document.getElementById("boot-status");
    if (line) line.textContent = text;
  }

  /** What this browser lacks, in words; empty when it can run the program. */
  function missing() {
    if (typeof WebAssembly !== "object") return tr("WebAssembly is missing or turned off");
    // A module with one function that takes an externref: reference types came last of what we use.
    const probe = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 1, 111, 0];
    if (!WebAssembly.validate(new Uint8Array(probe))) return tr("its WebAssembly is too old");
    if (typeof ReadableStream !== "function" || typeof AbortController !== "function") {
      return tr("it cannot read answers as they come");
    }
    return "";
  }

  class LoadError extends Error {}

  /** The program's bytes as fetched, checked against the hash that the page carries. */
  async function wasm(url, integrity) {
    const response = await fetch(url, integrity ? { integrity } : {}).catch((error) => {
      throw new LoadError(`${tr("{0} arrived damaged", url)} (${error.message})`);
    });
    if (!response.ok) throw new LoadError(tr("{0} answered {1}", url, response.status));
    // Compiling while it streams needs the right type; where a host sends another, take the bytes.
    const type = response.headers.get("content-type") ?? "";
    return type.startsWith("application/wasm") ? response : response.arrayBuffer();
  }

  /** The program, compiled as it comes, and what binds it to the page. */
  async function fetchProgram() {
    const app = meta("nexus-app");
    if (!app) throw new LoadError(tr("The page does not name its program"));
    const address = (path) => new URL(path, document.baseURI).href;
    const { glue, wasm: program, integrity } = app.dataset;
    const compiled = async () => {
      const source = await wasm(address(program), integrity);
      return source instanceof Response ? WebAssembly.compileStreaming(source) : WebAssembly.compile(source);
    };
    // The hash of the glue stands in its preload, where the browser enforces it.
    return Promise.all([import(nexus.scriptUrl(address(glue))), compiled()]);
  }

  // ---- Parts in JavaScript ---------------------------------------------------------------------

  let partList = null;
  const checked = new Map();

  /** The files of each part with their hashes, itself checked against the hash that the page carries. */
  async function listOfParts() {
    const list = meta("nexus-js");
    if (!list) throw new LoadError(tr("This build has no parts in JavaScript"));
    const url = new URL(list.content, base).href;
    const response = await fetch(url, { integrity: list.dataset.integrity });
    if (!response.ok) throw new LoadError(tr("{0} answered {1}", url, response.status));
    return { base: url, files: await response.json() };
  }

  /** Fetches a module and has the browser check it; what imports it then gets what was checked. */
  function fetched(href, integrity) {
    const link = document.createElement("link");
    if (!link.relList.supports("modulepreload")) return Promise.resolve();
    Object.assign(link, { rel: "modulepreload", crossOrigin: "anonymous", integrity, href });
    return new Promise((done, failed) => {
      link.onload = done;
      link.onerror = () => failed(new LoadError(tr("{0} arrived damaged", href)));
      document.head.append(link);
    }).finally(() => link.remove());
  }

  /** A part that the build bundled of JavaScript (xtask/src/parts.rs), as a module; rejects where it does not come. */
  nexus.part = async (name) => {
    partList ??= listOfParts();
    const { base: list, files } = await partList.catch((error) => {
      partList = null;
      throw error;
    });
    if (!files[name]) throw new LoadError(tr("This build has no part {0}", name));
    const urls = files[name].map(([file, integrity]) => {
      const href = new URL(file, list).href;
      if (!checked.has(href)) checked.set(href, fetched(href, integrity));
      return href;
    });
    await Promise.all(urls.map((href) => checked.get(href))).catch((error) => {
      for (const href of urls) checked.delete(href);
      throw error;
    });
    return import(nexus.scriptUrl(urls[0]));
  };

  /**
   * After a deploy an old page may name files that are gone, or a cache may hold the wrong ones:
   * fetch them anew and load the page again, once. A mark in this tab keeps it from being a loop.
   */
  async function loadAgain() {
    const mark = "nexus_loaded_again";
    const allowed = attempt(() => {
      if (sessionStorage.getItem(mark)) return false;
      sessionStorage.setItem(mark, "1");
      return true;
    }, false);
    if (!allowed || !navigator.onLine) return false;
    status(tr("The program could not be loaded. Trying once more with fresh files…"));
    const files = [...document.querySelectorAll("script[src], link[rel$=preload]")];
    const urls = [location.href, ...files.map((file) => file.src || file.href)];
    await Promise.allSettled(urls.map((url) => fetch(url, { cache: "reload" })));
    location.reload();
    return true;
  }

  /**
   * The address of the icon, and of a sheet that is switched on later, is looked up again when the page's own has
   * changed, as it does from screen to screen.
   */
  function pinLinks() {
    for (const link of document.querySelectorAll('link[rel="icon"], link[rel="manifest"], link[data-style]')) link.href = String(link.href);
  }

  async function begin(program, language) {
    pinLinks();
    await language;
    if (stuck.length) {
      const names = stuck.map((name) => `Object.prototype.${name}`).join(", ");
      status(tr("A browser extension changed {0}, so Nexus cannot run. Turn the extension off for this page, then reload.", names));
      return;
    }
    const lacking = missing();
    if (lacking) {
      status(tr("This browser cannot run Nexus: {0}. A current Firefox, Chrome, Edge or Safari can.", lacking));
      return;
    }
    const slow = setTimeout(() => {
      if (document.getElementById("shell")) status(tr("Starting takes longer than usual…"));
    }, SLOW_START_MS);
    try {
      const [bindings, module] = await program;
      await bindings.default({ module_or_path: module });
      forgetPicture();
      attempt(() => sessionStorage.removeItem("nexus_loaded_again"));
    } catch (error) {
      const report = { message: String(error), stack: error?.stack };
      if (isTrap(error)) crashed("start", report);
      else if (!(await loadAgain())) crashed("load", report);
    } finally {
      clearTimeout(slow);
    }
  }

  const stored = bootSettings();
  const settings = stored && typeof stored === "object" ? stored : {};
  // The first start may look for a model on this machine, whatever it knew before.
  if (settings.is_set_up !== false) narrowConnect(settings.origins);
  trustedTypes();
  watch();
  fetchAhead(settings.is_set_up);
  // Asked for at once, and started when the page's own looks and its recovery screen are there.
  const program = stuck.length || missing() ? null : fetchProgram();
  // Whoever waits for it says what went wrong.
  program?.catch(() => {});
  nexus.languages = languages();
  const chosen = languageOf(settings.language);
  // Without its words the page is English.
  const language = chosen && fetchLanguage(chosen).catch((error) => console.warn(error));
  document.addEventListener("DOMContentLoaded", () => begin(program, language));
})();
