// Engines at work on the shown position: two slots, so that one can be compared with another.

import { signal } from '@preact/signals';
import type { Analysis } from '../net/contract';
import { connection } from '../net/socket';
import { hello } from '../hello';
import { moves, study } from './state';

export type Slot = 'a' | 'b';
export const running = signal<Record<Slot, boolean>>({ a: false, b: false });
export const engines = signal<Record<Slot, string>>({ a: 'nue', b: 'nue' });
/** Whether the second slot is shown. */
export const comparing = signal(false);
export const multipv = signal(3);
export const threads = signal(1);
export const answers = signal<Partial<Record<Slot, Analysis>>>({});
/** The line under the pointer: shown on the board while it is there. */
export const preview = signal<readonly string[] | null>(null);

let serial = 0;
const asked: Record<Slot, number> = { a: 0, b: 0 };

function request(slot: Slot): void {
  serial += 1;
  const mine = serial;
  asked[slot] = mine;
  // Lines of another position are no lines of this one.
  const { lines: _, ...rest } = answers.value[slot] ?? { type: 'analysis', slot, serial, state: 'running' };
  answers.value = { ...answers.value, [slot]: { ...rest, serial, state: 'running' } };
  const { variant, start } = study.value;
  connection().begin({
    type: 'analysis.start', slot, serial, engine: engines.value[slot], variant, sfen: start, moves: moves.value,
    multipv: multipv.value, threads: threads.value, seconds: 600,
  }, ({ code }) => {
    if (asked[slot] === mine) answers.value = { ...answers.value, [slot]: { type: 'analysis', slot, serial: mine, state: 'failed', code } };
  });
}

export function startSlot(slot: Slot): void {
  running.value = { ...running.value, [slot]: true };
  request(slot);
}

export function stopSlot(slot: Slot): void {
  running.value = { ...running.value, [slot]: false };
  asked[slot] = ++serial;
  connection().send({ type: 'analysis.stop', slot });
}

/** The position changed: what runs, runs there. */
export function follow(): void {
  preview.value = null;
  for (const slot of ['a', 'b'] as const) {
    if (running.value[slot]) request(slot);
  }
}

export function forgetAnswers(): void {
  answers.value = {};
}

export function listenToEngines(): () => void {
  threads.value = Math.max(1, Math.min(threads.value, hello.value?.limits.threads ?? 1));
  const off = connection().on('analysis', (message) => {
    const slot = message.slot as Slot;
    if (message.serial !== asked[slot] || !running.value[slot]) return;
    // A state without lines (queued, done) leaves the last lines standing.
    const before = answers.value[slot];
    const lines = message.lines ?? (before?.serial === message.serial ? before.lines : undefined);
    answers.value = { ...answers.value, [slot]: { ...message, ...(lines ? { lines } : {}) } };
  });
  const again = connection().onOpen(follow);
  return () => {
    off();
    again();
    for (const slot of ['a', 'b'] as const) {
      if (running.value[slot]) connection().send({ type: 'analysis.stop', slot });
    }
  };
}
