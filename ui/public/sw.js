// Keeps the shell of the page in the browser, so that it opens at once and without its server says so
// itself. Nothing of the API is kept: games and engines live on the server.

const SHELL = 'nue-shell';
const root = new URL('./', self.registration.scope);

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** Files under assets/ change their names with their bytes: what is kept is right. */
async function keptFirst(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** A page that changed takes what belonged to the last one out of the store. */
async function forgetOthers(cache, request, answer) {
  const kept = await cache.match(request);
  if (kept && (await kept.text()) !== (await answer.clone().text())) {
    for (const old of await cache.keys()) if (new URL(old.url).pathname.includes('/assets/')) await cache.delete(old);
  }
}

async function serverFirst(request, page) {
  const cache = await caches.open(SHELL);
  try {
    const answer = await fetch(request);
    if (answer.ok && !answer.redirected) {
      if (page) await forgetOthers(cache, request, answer);
      await cache.put(request, answer.clone());
    }
    return answer;
  } catch (cause) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw cause;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // An address with a token is the server's own business.
  if (request.method !== 'GET' || url.origin !== root.origin || url.search !== '' || !url.pathname.startsWith(root.pathname)) return;
  const path = url.pathname.slice(root.pathname.length);
  if (path.startsWith('api/')) return;
  event.respondWith(path.startsWith('assets/') ? keptFirst(request) : serverFirst(request, path === ''));
});
