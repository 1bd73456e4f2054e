// Keeps the shell of the page in the browser, so that it opens at once and without its server says so
// itself. Nothing of the API is kept: games and engines live on the server.
//
// A site without a server is kept whole: `nue web --export` writes its files into the list below.

const SHELL = 'nue-shell';
const WHOLE = [];
const root = new URL('./', self.registration.scope);

async function keepWhole() {
  const cache = await caches.open(SHELL);
  const missing = await Promise.all(WHOLE.map(async (name) => (name.startsWith('assets/') && (await cache.match(new URL(name, root))) ? [] : [new URL(name, root).href])));
  await cache.addAll(missing.flat());
}

/** Files of an earlier edition of the site go; a net that was fetched when it was wanted is in no list. */
async function forgetEarlier() {
  const cache = await caches.open(SHELL);
  const known = new Set(WHOLE.map((name) => new URL(name, root).href));
  for (const { url } of WHOLE.length ? await cache.keys() : []) if (url.includes('/assets/') && !url.endsWith('.nnz') && !known.has(url)) await cache.delete(url);
}

self.addEventListener('install', (event) => event.waitUntil(keepWhole().then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(forgetEarlier().then(() => self.clients.claim())));

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

/** Alone with its own files the page may share memory with its engine, which then ends a search at once. */
function isolated(answer) {
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // An address with a token is the server's own business.
  if (request.method !== 'GET' || url.origin !== root.origin || url.search !== '' || !url.pathname.startsWith(root.pathname)) return;
  const path = url.pathname.slice(root.pathname.length);
  if (path.startsWith('api/')) return;
  const answer = path.startsWith('assets/') ? keptFirst(request) : serverFirst(request, path === '');
  event.respondWith(WHOLE.length ? answer.then(isolated) : answer);
});
