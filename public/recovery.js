// Never calls the program, whose memory cannot be trusted after a crash, and never needs it.
//
// Owns the recovery screen: what happened, and the ways on from here (reload, safe mode, export,
// report). Built from plain DOM nodes; its look is style/recovery.css.

(() => {
  "use strict";

  const nexus = window.__nexus;
  // Without boot.js there is nothing to hang on: watchdog.js speaks then.
  if (!nexus) return;

  const { tr } = nexus;
  const WORDS = () => ({
    panic: [tr("Nexus has stopped"), tr("An unrecoverable error occurred.")],
    trap: [tr("Nexus has stopped"), tr("Nexus crashed, possibly because it ran out of memory.")],
    start: [tr("Nexus could not start"), tr("Nexus crashed during startup.")],
    load: [
      tr("Nexus could not be loaded"),
      tr("The program files could not be loaded correctly. The connection may be down, or a new version is being deployed."),
    ],
    kept: tr("Your saved data is still on this device. This report is not sent anywhere."),
    safeOffer:
      tr("This is the third crash within a minute. Safe mode starts without the last session and without automatic actions."),
    saved: tr("Exported. The file contains everything except your API keys."),
    partly: tr("Exported what could be read, without your API keys."),
    exporting: tr("Collecting…"),
    copied: tr("Report copied."),
    select: tr("Copy it from the box below."),
  });

  function element(name, properties = {}, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  }

  function reportOf(crash) {
    const lines = [
      ["What", crash.message],
      ["Where", crash.location],
      ["Last action", crash.lastAction],
      ["When", new Date(crash.at).toISOString()],
      ["Kind", crash.kind],
      ["Version", crash.version],
      ["Browser", navigator.userAgent],
      ["Stack", crash.stack],
    ];
    return lines
      .filter(([, text]) => text)
      .map(([name, text]) => `${name}: ${text}`)
      .join("\n");
  }

  function download(file) {
    const url = URL.createObjectURL(file);
    const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
    element("a", { href: url, download: `nexus-${stamp}.json` }).click();
    // The browser reads it after this task: give it the time to.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }

  nexus.showRecovery = (crash) => {
    if (document.getElementById("recovery")) return;
    // Before the dead page goes away: what was typed there and perhaps never stored.
    const typed = nexus.collectTyped?.() ?? [];
    const told = WORDS();
    const [title, cause] = told[crash.kind];
    const report = reportOf(crash);

    const said = element("p", { id: "recovery-status", className: "recovery-status" });
    said.setAttribute("role", "status");
    const box = element("textarea", { id: "recovery-report", readOnly: true, rows: 8, value: report });
    box.setAttribute("aria-label", tr("Report"));

    const button = (id, text, act) => {
      const node = element("button", { id, type: "button", className: "recovery-button" }, text);
      node.addEventListener("click", act);
      return node;
    };

    async function exportAll() {
      said.textContent = told.exporting;
      try {
        const { file, notes } = await nexus.dump(typed);
        download(file);
        said.textContent = notes.length ? `${told.partly} ${notes.join(" ")}` : told.saved;
      } catch (error) {
        said.textContent = `${tr("The export failed")}: ${error?.message ?? error}`;
      }
    }

    async function copyReport() {
      try {
        await navigator.clipboard.writeText(report);
        said.textContent = told.copied;
      } catch {
        details.open = true;
        box.select();
        said.textContent = told.select;
      }
    }

    const reload = button("recovery-reload", tr("Reload"), async () => {
      // Files that did not load may have come from the worker's.
      if (crash.kind === "load") await nexus.removeWorker?.().catch(() => {});
      location.reload();
    });
    const safe = button("recovery-safe", tr("Safe mode"), () => {
      location.assign(new URL("?safe=1", nexus.base).href);
    });
    const first = crash.offerSafeMode ? safe : reload;
    first.classList.add("recovery-button-first");
    const actions = element(
      "div",
      { className: "recovery-actions" },
      ...(crash.offerSafeMode ? [safe, reload] : [reload, safe]),
      button("recovery-export", tr("Export everything"), exportAll),
      button("recovery-copy", tr("Copy report"), copyReport),
    );
    const details = element(
      "details",
      { className: "recovery-details" },
      element("summary", {}, tr("Details")),
      box,
    );

    const heading = element("h1", { id: "recovery-title", tabIndex: -1 }, title);
    const screen = element(
      "main",
      { id: "recovery", className: "recovery" },
      element(
        "div",
        { className: "recovery-card" },
        heading,
        element("p", {}, cause),
        element("p", { className: "recovery-message" }, crash.message),
        element("p", {}, crash.offerSafeMode ? told.safeOffer : told.kept),
        actions,
        said,
        details,
      ),
    );
    screen.dataset.kind = crash.kind;
    screen.setAttribute("aria-labelledby", "recovery-title");

    // Out of the document, so that no key or click reaches the dead program any more.
    document.getElementById("shell")?.remove();
    document.getElementById("app")?.remove();
    // The sheets stand in the body, behind the static page; one that was taken out would be fetched again.
    for (const node of [...document.body.children]) if (node.localName !== "link") node.remove();
    document.body.append(screen);
    document.title = tr("Nexus · stopped");
    heading.focus();
  };

  if (nexus.crash) nexus.showRecovery(nexus.crash);
})();
