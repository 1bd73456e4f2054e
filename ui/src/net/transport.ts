// How the page reaches what answers it: a server, or, on a site without one, a worker of its own. Requests
// and messages are the same (docs/web-api.md); whoever asks does not know who answers.

export interface Listener { opened: () => void; message: (text: string) => void; closed: () => void }
export interface Channel { readonly isOpen: boolean; send: (text: string) => void; close: () => void }

export interface Transport {
  /** A request: what follows `api/`. Fails where nobody can be reached. */
  ask: (path: string, init?: RequestInit) => Promise<Response>;
  /** The one channel for what lives: games, analysis, watching. */
  connect: (listener: Listener) => Channel;
}

/** Whether the page is its own server: `nue web --export` says so in the page's head. */
export const serverless = typeof document !== 'undefined' && document.querySelector('meta[name="nue-server"]')?.getAttribute('content') === 'none';

const server: Transport = {
  ask: (path, init) => fetch(`./api/${path}`, init),
  connect(listener) {
    const url = new URL('./api/ws', location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url.href);
    socket.onopen = listener.opened;
    socket.onmessage = (event) => listener.message(String(event.data));
    socket.onclose = listener.closed;
    return {
      get isOpen() { return socket.readyState === WebSocket.OPEN; },
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
  },
};

/** The worker, fetched where there is no server. */
const local = async (): Promise<Transport> => (await import('./local')).local;

const inside: Transport = {
  ask: async (path, init) => (await local()).ask(path, init),
  connect(listener) {
    let channel: Channel | null = null;
    let closed = false;
    local().then((found) => {
      if (!closed) channel = found.connect(listener);
    }, listener.closed);
    return {
      get isOpen() { return channel?.isOpen ?? false; },
      send: (text) => channel?.send(text),
      close: () => {
        closed = true;
        channel?.close();
      },
    };
  },
};

export const transport: Transport = serverless ? inside : server;
