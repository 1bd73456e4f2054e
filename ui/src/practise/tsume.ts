// Mate problems: the next one, the moves so far, and what the server says of them.

import { signal } from '@preact/signals';
import type { Line, Position, PositionAnswer, TsumeAnswer, TsumeNext, TsumeSolution } from '../net/contract';
import { rest } from '../net/rest';
import { connection } from '../net/socket';
import { announce } from '../board/announce';
import { notated, t } from '../i18n';
import { sound } from '../parts/sound';
import { complain } from '../parts/toast';

export const next = signal<TsumeNext | null>(null);
export const moves = signal<string[]>([]);
export const position = signal<Position | null>(null);
export const state = signal<'solving' | 'wrong' | 'solved' | 'shown'>('solving');
export const solution = signal<TsumeSolution | null>(null);
export const nonce = signal(0);
/** Whether something wrong was tried. */
let failed = false;

async function askPosition(): Promise<void> {
  const problem = next.value?.problem;
  if (!problem) return;
  position.value = null;
  try {
    const answer = await connection().request<PositionAnswer>({ type: 'position', variant: 'shogi', sfen: problem.sfen, moves: moves.value });
    position.value = answer.position;
  } catch (cause) {
    complain(cause);
  }
}

export async function load(): Promise<void> {
  try {
    const found = await rest.tsume();
    // A solution that is being played out ends with its problem.
    stopPlaying();
    next.value = found;
    moves.value = [];
    state.value = 'solving';
    solution.value = null;
    failed = false;
    nonce.value += 1;
    await askPosition();
  } catch (cause) {
    complain(cause);
  }
}

function over(answer: TsumeAnswer): void {
  solution.value = answer.solution ?? null;
  if (answer.progress && next.value) next.value = { ...next.value, progress: answer.progress };
}

export async function tryMove(usi: string): Promise<void> {
  const problem = next.value?.problem;
  if (!problem || state.value === 'solved' || state.value === 'shown') return;
  const tried = [...moves.value, usi];
  sound('piece');
  try {
    const answer = await rest.tryTsume(problem.id, { moves: tried, failed });
    if (answer.state === 'wrong') {
      failed = true;
      state.value = 'wrong';
      nonce.value += 1;
      announce(t('tsume.wrong'));
      return;
    }
    if (answer.state === 'solved') {
      moves.value = tried;
      state.value = 'solved';
      over(answer);
      sound('turn');
      announce(failed ? t('tsume.solvedlate') : t('tsume.solved'));
      return;
    }
    state.value = 'solving';
    moves.value = answer.reply ? [...tried, answer.reply] : tried;
    if (answer.reply) {
      const written = await connection().request<Line>({ type: 'line', variant: 'shogi', sfen: problem.sfen, moves: tried, line: [answer.reply] }).catch(() => null);
      if (written) announce(notated(written)[0] ?? '');
    }
    await askPosition();
  } catch (cause) {
    nonce.value += 1;
    complain(cause);
  }
}

export async function giveUp(): Promise<void> {
  const problem = next.value?.problem;
  if (!problem) return;
  try {
    over(await rest.tryTsume(problem.id, { moves: [], failed: true, giveUp: true }));
    state.value = 'shown';
  } catch (cause) {
    complain(cause);
  }
}

/** Where a lost connection has left a problem without its moves they are asked for again. */
export function resume(): void {
  if (!next.value) void load();
  else if (position.value === null && state.value !== 'solved' && state.value !== 'shown') void askPosition();
}

let timer: ReturnType<typeof setInterval> | undefined;

/** Plays the solution out on the board. */
export function playOut(): void {
  const line = solution.value?.line ?? [];
  clearInterval(timer);
  moves.value = [];
  timer = setInterval(() => {
    const move = line[moves.value.length];
    if (move === undefined) return clearInterval(timer);
    moves.value = [...moves.value, move];
    sound('piece');
  }, 700);
}

export function stopPlaying(): void {
  clearInterval(timer);
}
