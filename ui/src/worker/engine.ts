// The worker with the engine: it answers one question after another, each for as long as it takes.

import type { FromEngine, ToEngine } from './messages';
import { Nue } from './module';

/** Beyond every time limit. */
const DAY = 24 * 3600 * 1000;

const post = (message: FromEngine): void => self.postMessage(message);

let nue: Promise<Nue> | null = null;
let engine = 0;
let flag: Int32Array | null = null;
let current = 0;

async function receive(message: ToEngine): Promise<void> {
  if (message.type === 'start') {
    flag = message.flag && new Int32Array(message.flag);
    const ahead = (): number => (flag && Atomics.load(flag, 0) === current ? DAY : 0);
    nue = Nue.start(message.module, { tell: (text) => post({ type: 'said', text }), ahead });
    engine = (await nue).exports.engine_new(message.hash);
    return;
  }
  const there = await nue;
  if (!there) return;
  if (message.type === 'net') {
    if (!there.exports.engine_load(engine, ...there.put(message.bytes))) throw new Error('the net cannot be used');
    return;
  }
  current = message.number;
  there.exports.engine_run(engine, ...there.put(message.text));
}

/** In order, whatever each of them waits for. */
let last: Promise<void> = Promise.resolve();
self.onmessage = (event: MessageEvent<ToEngine>) => {
  last = last.then(() => receive(event.data));
  // Nobody else would hear of it: as an error of the worker it reaches the board.
  last.catch((cause) => setTimeout(() => { throw cause; }));
};
