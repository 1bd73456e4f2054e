// The page's side of its own worker, on a site without a server.

import type { Channel, Listener, Transport } from './transport';
import type { FromBoard, ToBoard } from '../worker/messages';

interface Waiting { resolve: (response: Response) => void; reject: (cause: unknown) => void }

const waiting = new Map<number, Waiting>();
const listeners = new Set<Listener>();
let worker: Worker | null = null;
let isOpen = false;
let next = 1;

function broken(cause: unknown): void {
  worker?.terminate();
  worker = null;
  isOpen = false;
  for (const { reject } of waiting.values()) reject(cause);
  waiting.clear();
  for (const listener of [...listeners]) listener.closed();
  listeners.clear();
}

function heard(message: FromBoard): void {
  if (message.type === 'ready') {
    isOpen = true;
    for (const listener of [...listeners]) listener.opened();
  } else if (message.type === 'message') {
    for (const listener of [...listeners]) listener.message(message.text);
  } else if (message.type === 'broken') {
    broken(new Error(message.why));
  } else {
    const { id, status, kind, losses, body } = message;
    waiting.get(id)?.resolve(new Response(status === 204 ? null : body, { status, headers: { 'Content-Type': kind, 'Nue-Losses': losses } }));
    waiting.delete(id);
  }
}

function post(message: ToBoard): void {
  if (!worker) {
    worker = new Worker(new URL('../worker/board.ts', import.meta.url), { type: 'module', name: 'nue-board' });
    worker.onmessage = (event: MessageEvent<FromBoard>) => heard(event.data);
    worker.onerror = (event) => broken(new Error(event.message));
    worker.postMessage({ type: 'start', base: new URL('./', location.href).href } satisfies ToBoard);
  }
  worker.postMessage(message);
}

async function bytes(body: BodyInit | null | undefined): Promise<Uint8Array<ArrayBuffer>> {
  return body == null ? new Uint8Array() : new Uint8Array(await new Response(body).arrayBuffer());
}

export const local: Transport = {
  async ask(path, init) {
    const [name = '', query = ''] = path.split('?', 2);
    const head = { method: init?.method ?? 'GET', path: name.split('/').map(decodeURIComponent), query };
    const body = await bytes(init?.body);
    return new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      post({ type: 'ask', id, head: JSON.stringify(head), body });
    });
  },
  connect(listener): Channel {
    listeners.add(listener);
    if (isOpen) queueMicrotask(listener.opened);
    else post({ type: 'wake' });
    return {
      get isOpen() { return isOpen && listeners.has(listener); },
      send: (text) => post({ type: 'send', text }),
      close: () => {
        if (listeners.delete(listener)) listener.closed();
      },
    };
  },
};
