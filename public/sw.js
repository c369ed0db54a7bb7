// Lets Nexus start without a network, and does nothing else: it answers for the files of this build and for its pages,
// never for another origin, another method or an address that the build did not write.
//
// A page comes from the network first, and from here only where that fails. Every other file has its content's hash in
// its name, and each is kept only if it is what the build wrote. A newer worker waits until the operator takes it.
// Whatever is kept here can be deleted at any time: `?no-worker` does it, and so do the recovery screen and the watchdog.

"use strict";

// What the build writes: its name, and each file with the hash of its content.
const BUILD = "";
const FILES = {};

const PAGE_PATIENCE_MS = 4_000;
const AT_ONCE = 4;

const base = new URL("./", location.href);
const PREFIX = `nexus ${base.pathname} `;
const CACHE = PREFIX + BUILD;
// A host shows the page of a folder at the folder.
const address = (name) => new URL(name.replace(/(^|\/)index\.html$/, "$1"), base).href;
const own = new Map(Object.entries(FILES).map(([name, integrity]) => [address(name), integrity]));
/** Whether the name holds the hash of the content, so that there is nothing newer of this name. */
const isLasting = (url) => /\/parts\/|\.(js|css|wasm|svg)$/.test(url) && !url.endsWith("/watchdog.js");

/** Fetches a file of the build, and keeps it if it is what the build wrote. */
async function fetchOwn(cache, url, mode) {
  const response = await fetch(url, { integrity: own.get(url), cache: mode, redirect: "error" });
  if (!response.ok || response.type !== "basic") throw new Error(`${url} answered ${response.status}`);
  await cache.put(url, response.clone());
  return response;
}

/** Keeps all files, those that an earlier build had without fetching them again. Goes on where it was broken off. */
async function fill() {
  const cache = await caches.open(CACHE);
  const left = [...own.keys()];
  const next = async () => {
    for (let url = left.pop(); url; url = left.pop()) {
      if (await cache.match(url)) continue;
      const had = isLasting(url) && (await caches.match(url));
      if (had) await cache.put(url, had);
      else await fetchOwn(cache, url, isLasting(url) ? "default" : "no-cache");
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Deletes what older builds kept, but for the last one's: a tab may still be open that needs it. */
async function clear() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
}

const kept = (url) => caches.open(CACHE).then((cache) => cache.match(url)).catch(() => undefined);

const fromNetwork = (event) =>
  Promise.resolve(event.preloadResponse).then((response) => response ?? fetch(event.request));

/** A page: from the network, and from here where that fails or takes too long. */
async function page(event, url) {
  const fetched = fromNetwork(event);
  const late = new Promise((_, reject) => setTimeout(reject, PAGE_PATIENCE_MS, new Error("late")));
  const answer = await Promise.race([fetched, late]).catch(() => null);
  if (answer && answer.status < 500) return answer;
  return (await kept(url)) ?? fetched;
}

/** A file. Whoever asks for it anew gets it anew, and what is kept is mended with it. */
async function file(request, url) {
  if (request.cache === "reload") return fetchOwn(await caches.open(CACHE), url, "reload");
  if (isLasting(url)) return (await caches.match(url).catch(() => undefined)) ?? fetch(request);
  return fetch(request).catch(async (error) => (await kept(url)) ?? Promise.reject(error));
}

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([clear(), self.registration.navigationPreload?.enable()]));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== base.origin) return;
  if (request.mode === "navigate") {
    // Frames, and who wants to do without: as if there were no worker.
    if (request.destination !== "document" || url.searchParams.has("no-worker")) return;
    url.search = url.hash = "";
    const folder = `${url.href}/`;
    if (own.has(url.href)) event.respondWith(page(event, url.href));
    // A host leads to the folder; without a network, this does.
    else if (own.has(folder)) event.respondWith(fromNetwork(event).catch(() => Response.redirect(folder)));
  } else if (own.has(url.href)) {
    event.respondWith(file(request, url.href));
  }
});

self.addEventListener("message", (event) => {
  if (event.data === "take") self.skipWaiting();
  if (event.data === "build") event.ports[0]?.postMessage(BUILD);
});
