// Never decides when the program is replaced: a newer version waits until the operator takes it.
//
// Owns the page's side of the worker that lets Nexus start without a network (sw.js): it registers the worker, tells
// the program of a newer version, and removes the worker where the address says `?no-worker`.

(() => {
  "use strict";

  const nexus = window.__nexus;
  if (!nexus) return;

  // In a sandboxed frame the browser throws, without a secure origin there is none.
  let workers;
  try {
    workers = navigator.serviceWorker;
  } catch {}
  const build = document.querySelector('meta[name="nexus-worker"]')?.content;
  const refused = new URLSearchParams(location.search).has("no-worker");

  /** Removes the worker of this page and all that it kept. */
  nexus.removeWorker = async () => {
    const prefix = `nexus ${new URL(nexus.base).pathname} `;
    const registration = await workers?.getRegistration(nexus.base);
    // A page deeper down may be in the scope of another build.
    if (registration?.scope === nexus.base) await registration.unregister();
    const names = window.caches ? await caches.keys() : [];
    await Promise.all(names.filter((name) => name.startsWith(prefix)).map((name) => caches.delete(name)));
  };
  if (refused) nexus.removeWorker().catch(() => {});

  let waiting = null;

  /** Replaces this version by the one that waits, and loads the page again. */
  nexus.takeNewVersion = () => {
    // Where another tab took it already, it waits no more.
    if (waiting?.state !== "installed") return location.reload();
    waiting.addEventListener("statechange", () => {
      if (waiting.state === "activated") location.reload();
    });
    waiting.postMessage("take");
  };

  const buildOf = (worker) =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      worker.postMessage("build", [port2]);
    });

  let begun = null;
  let tell = null;

  const start = async () => {
    const script = nexus.scriptUrl(new URL("sw.js", nexus.base).href);
    const registration = await workers.register(script, { scope: nexus.base, updateViaCache: "none" });
    const look = async (worker) => {
      if (!worker || worker.state !== "installed" || !registration.active) return;
      // A page that came from the network may be of this version already.
      if ((await buildOf(worker)) === build) return worker.postMessage("take");
      waiting = worker;
      tell();
    };
    registration.addEventListener("updatefound", () => {
      const coming = registration.installing;
      coming?.addEventListener("statechange", () => look(coming));
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) registration.update().catch(() => {});
    });
    await look(registration.waiting);
  };

  /** Registers the worker, once; `announce` is called when a newer version waits. */
  nexus.offline = (announce) => {
    if (!workers || !build || refused || nexus.safe || window.top !== window) return;
    tell = announce;
    // Without a worker everything works but a start without a network.
    begun ??= start().catch(() => {});
    if (waiting) announce();
  };
})();
