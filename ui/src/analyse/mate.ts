// The search for mate from the shown position, and its line played out on the board.

import { signal } from '@preact/signals';
import type { MateAnswer } from '../net/contract';
import { connection } from '../net/socket';
import { t } from '../i18n';
import { announce } from '../board/announce';
import { complain } from '../parts/toast';
import { addLine, current, goTo, moves, study } from './state';
import { path } from './tree';

/** `from` is the position it is looked for in: a node, and the moves that lead there. */
export interface MateState extends Partial<MateAnswer> { from: number; moves: readonly string[]; refused?: string }
export const mate = signal<MateState | null>(null);
let serial = 0;

function ask(from: number, way: readonly string[]): void {
  serial += 1;
  const { variant, start } = study.value;
  mate.value = { from, moves: way, state: 'queued' };
  const mine = serial;
  connection().begin({ type: 'mate.start', serial, variant, sfen: start, moves: [...way], seconds: 30, shortest: false }, ({ code }) => {
    if (serial === mine) mate.value = { from, moves: way, state: 'failed', refused: code };
  });
}

export const startMate = (): void => ask(current.value, moves.value);

export function stopMate(): void {
  connection().send({ type: 'mate.stop' });
  serial += 1;
  mate.value = null;
}

export function listenToMates(): () => void {
  const off = connection().on('mate', (message) => {
    if (message.serial !== serial || !mate.value) return;
    mate.value = { ...message, from: mate.value.from, moves: mate.value.moves };
    if (message.state === 'mate') announce(t('mate.found', { n: message.plies ?? message.line?.length ?? 0 }));
    else if (message.state === 'nomate') announce(t('mate.none'));
    else if (message.state === 'unknown') announce(t('mate.unknown'));
  });
  // A search that was cut off by a lost connection begins again.
  const again = connection().onOpen(() => {
    const now = mate.value;
    if (now?.state === 'queued' || now?.state === 'running') ask(now.from, now.moves);
  });
  return () => {
    off();
    again();
  };
}

/** Puts the line into the record and steps through it, a move at a time. */
export async function playOut(): Promise<void> {
  const found = mate.value;
  if (!found?.line) return;
  try {
    const last = await addLine(found.from, found.line);
    const whole = path(study.value, last);
    const steps = whole.slice(whole.indexOf(found.from));
    const show = (index: number): void => {
      const id = steps[index];
      if (id === undefined || (index > 0 && current.value !== steps[index - 1])) return;
      goTo(id);
      setTimeout(() => show(index + 1), 650);
    };
    show(0);
  } catch (cause) {
    complain(cause);
  }
}
