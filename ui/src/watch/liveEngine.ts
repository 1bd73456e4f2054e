// Our own engine on a game that is watched: one at a time, on the position that is on the board there.

import { signal } from '@preact/signals';
import type { EngineLine, Variant } from '../net/contract';
import { connection } from '../net/socket';

/** The game it looks at. */
export const watched = signal<string | null>(null);
export const engineLine = signal<EngineLine | null>(null);
const SLOT = 'live';
let serial = 0;

/** Until the answer is called. */
export function startWatching(key: string, variant: Variant, sfen: string, moves: string[]): () => void {
  const mine = ++serial;
  engineLine.value = null;
  const off = connection().on('analysis', (message) => {
    const [line] = message.lines ?? [];
    if (message.slot === SLOT && message.serial === mine && line) engineLine.value = line;
  });
  const again = connection().onOpen(() => connection().send({ type: 'analysis.start', slot: SLOT, serial: mine, engine: 'nue', variant, sfen, moves, multipv: 1, threads: 1, seconds: 600 }));
  return () => {
    off();
    again();
    if (watched.value !== key) connection().send({ type: 'analysis.stop', slot: SLOT });
  };
}
