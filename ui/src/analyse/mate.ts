// The search for mate from the shown position, and its line played out on the board.

import { signal } from '@preact/signals';
import type { MateAnswer } from '../net/contract';
import { connection } from '../net/socket';
import { t } from '../i18n';
import { announce } from '../board/announce';
import { complain } from '../parts/toast';
import { addLine, current, goTo, moves, study } from './state';
import { path } from './tree';

export interface MateState extends Partial<MateAnswer> { from: number }
export const mate = signal<MateState | null>(null);
let serial = 0;

export function startMate(): void {
  serial += 1;
  const { variant, start } = study.value;
  mate.value = { from: current.value, state: 'queued' };
  connection().send({ type: 'mate.start', serial, variant, sfen: start, moves: moves.value, seconds: 30, shortest: false });
}

export function stopMate(): void {
  connection().send({ type: 'mate.stop' });
  serial += 1;
  mate.value = null;
}

export function listenToMates(): () => void {
  return connection().on('mate', (message) => {
    if (message.serial !== serial || !mate.value) return;
    mate.value = { ...message, from: mate.value.from };
    if (message.state === 'mate') announce(t('mate.found', { n: message.plies ?? message.line?.length ?? 0 }));
    else if (message.state === 'nomate') announce(t('mate.none'));
    else if (message.state === 'unknown') announce(t('mate.unknown'));
  });
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
