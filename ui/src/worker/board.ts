// The worker with the board: it answers what the page would have asked a server, keeps what is to be kept, and
// has an engine in a worker of its own.

import { EngineClient } from './engineClient';
import type { FromBoard, Site, ToBoard } from './messages';
import { Nue, text } from './module';
import { Storage } from './storage';

/** How often clocks are looked at and news are told. */
const TICK = 100;

// What happens to a board, by the numbers of exports.rs.
const KEPT = 0, MESSAGE = 1, SAID = 2, TIME = 3, REQUEST = 4;

type Effect =
  | { send: object } | { pass: object }
  | { keep: { key: string; value: string } } | { forget: { key: string } }
  | { ask: Parameters<EngineClient['ask']>[0] } | 'stop';
interface Outcome { response?: { status: number; kind: string; losses: string }; effects: Effect[] }

const post = (message: FromBoard): void => self.postMessage(message);

class Board {
  private constructor(private readonly nue: Nue, private readonly board: number, private readonly engine: () => EngineClient, private readonly storage: Storage) {}

  static async open(base: string): Promise<Board> {
    const site = (await (await fetch(new URL('site.json', base))).json()) as Site;
    const [module, storage] = await Promise.all([compile(new URL(site.module, base)), Storage.open(`nue:${new URL(base).pathname}`)]);
    const nue = await Nue.start(module);
    const seed = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
    const board = nue.exports.board_new(...nue.put(JSON.stringify(site)), BigInt.asIntN(64, seed));
    let engine: EngineClient | null = null;
    const opened = new Board(nue, board, () => engine ??= new EngineClient(module, site, base, (said) => opened.happens(SAID, said)), storage);
    for (const [key, value] of await storage.all()) opened.happens(KEPT, JSON.stringify({ key, value }));
    storage.onChange((change) => opened.happens(KEPT, JSON.stringify(change)));
    setInterval(() => opened.happens(TIME, ''), TICK);
    return opened;
  }

  happens(what: number, about: string | Uint8Array): [Outcome, Uint8Array<ArrayBuffer>] {
    const answer = this.nue.take(this.nue.exports.board(this.board, what, ...this.nue.put(about)));
    const end = answer.indexOf(10);
    const outcome = JSON.parse(text(answer.subarray(0, end))) as Outcome;
    for (const effect of outcome.effects) this.perform(effect);
    return [outcome, answer.slice(end + 1)];
  }

  request(id: number, head: string, body: Uint8Array): void {
    const line = new TextEncoder().encode(`${head}\n`);
    const whole = new Uint8Array(line.length + body.length);
    whole.set(line);
    whole.set(body, line.length);
    const [{ response }, answer] = this.happens(REQUEST, whole);
    const { status, kind, losses } = response ?? { status: 500, kind: 'application/json', losses: '' };
    post({ type: 'answer', id, status, kind, losses, body: answer });
  }

  private perform(effect: Effect): void {
    if (effect === 'stop') this.engine().stop();
    else if ('send' in effect) post({ type: 'message', text: JSON.stringify(effect.send) });
    else if ('pass' in effect) post({ type: 'message', text: JSON.stringify(effect.pass) });
    else if ('keep' in effect) this.storage.set(effect.keep.key, effect.keep.value);
    else if ('forget' in effect) this.storage.set(effect.forget.key, null);
    else this.engine().ask(effect.ask);
  }
}

async function compile(address: URL): Promise<WebAssembly.Module> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status} ${answer.statusText}`);
  // Not every host of files knows the type that compiling while it arrives asks for.
  return answer.headers.get('Content-Type') === 'application/wasm' ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

let board: Promise<Board> | null = null;

self.onmessage = async (event: MessageEvent<ToBoard>) => {
  const message = event.data;
  try {
    if (message.type === 'start') {
      board = Board.open(message.base);
      await board;
      post({ type: 'ready' });
      return;
    }
    const there = await board;
    if (message.type === 'send') there?.happens(MESSAGE, message.text);
    else if (message.type === 'ask') there?.request(message.id, message.head, message.body);
  } catch (cause) {
    post({ type: 'broken', why: String(cause) });
  }
};
