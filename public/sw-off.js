// Takes the place of sw.js in a build without a worker (`NEXUS_WORKER=off`): removes what an earlier one kept, and
// itself. Pages go on without it.

"use strict";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  const prefix = `nexus ${new URL("./", location.href).pathname} `;
  const clear = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith(prefix));
    await Promise.all(names.map((name) => caches.delete(name)));
    await self.registration.unregister();
  };
  event.waitUntil(clear());
});
