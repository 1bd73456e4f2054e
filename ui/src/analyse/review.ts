// A whole game examined: evaluations come in as they are done and are written into the record.

import { signal } from '@preact/signals';
import type { Evaluation, Mistake, Opening, Review, SideSummary, Color } from '../net/contract';
import { connection } from '../net/socket';
import { hello } from '../hello';
import { t } from '../i18n';
import { announce } from '../board/announce';
import { study } from './state';
import { line } from './state';
import { withChange } from './tree';

export type Effort = 'quick' | 'normal' | 'deep';
export interface ReviewState {
  state: Review['state'] | 'idle'; done: number; total: number; message?: string;
  /** Why it was not begun. */
  refused?: string;
  /** Node numbers of the examined line, by ply. */
  nodes: number[];
  mistakes: Mistake[];
  summary: Record<Color, SideSummary> | null;
  /** Who examined it, and how thoroughly. */
  by?: { engine: string; effort: Effort };
  opening?: Opening;
}

const IDLE: ReviewState = { state: 'idle', done: 0, total: 0, nodes: [], mistakes: [], summary: null };
export const review = signal<ReviewState>(IDLE);
export const effort = signal<Effort>('normal');
/** Who examines. */
export const reviewer = signal('nue');
let serial = 0;

/** The examined line where there is one, the shown line otherwise. */
export function examined(): number[] {
  return review.value.state === 'idle' ? line.value : review.value.nodes;
}

function ask(nodes: number[], by: { engine: string; effort: Effort }): void {
  serial += 1;
  const moves = nodes.flatMap((id) => study.value.nodes[id]?.move ?? []);
  const { variant, start } = study.value;
  review.value = { ...IDLE, state: 'queued', total: moves.length + 1, nodes, by };
  const mine = serial;
  connection().begin({ type: 'review.start', serial, ...by, variant, sfen: start, moves }, ({ code }) => {
    if (serial === mine) review.value = { ...review.value, state: 'failed', refused: code };
  });
}

export function startReview(): void {
  // An engine that does not play this game examines none of it.
  const able = hello.value?.engines.some(({ id, variants }) => id === reviewer.value && variants.includes(study.value.variant));
  ask(line.value.filter((id) => !study.value.nodes[id]?.end), { engine: able ? reviewer.value : 'nue', effort: effort.value });
}

export function stopReview(): void {
  connection().send({ type: 'review.stop' });
  review.value = { ...review.value, state: 'stopped' };
}

export function forgetReview(): void {
  if (review.value.state === 'running' || review.value.state === 'queued') connection().send({ type: 'review.stop' });
  serial += 1;
  review.value = IDLE;
}

function receive(message: Review): void {
  if (message.serial !== serial) return;
  const { nodes } = review.value;
  let changed = study.value;
  for (const { ply, score, winrate, depth, nodes: visited, pv } of message.evaluations ?? []) {
    const id = nodes[ply];
    const evaluation: Evaluation = { score, winrate, depth, nodes: visited, pv };
    if (id !== undefined) changed = withChange(changed, id, { eval: evaluation });
  }
  study.value = changed;
  review.value = {
    ...review.value, state: message.state, done: message.done ?? review.value.done, total: message.total || review.value.total,
    ...(message.mistakes ? { mistakes: message.mistakes } : {}),
    ...(message.summary ? { summary: message.summary } : {}),
    ...(message.opening ? { opening: message.opening } : {}),
    ...(message.message ? { message: message.message } : {}),
  };
  if (message.state === 'done') announce(t('review.finished', { n: review.value.mistakes.length }));
}

export function listenToReviews(): () => void {
  const off = connection().on('review', receive);
  // A review that was cut off by a lost connection begins again.
  const again = connection().onOpen(() => {
    const { state, nodes, by } = review.value;
    if ((state === 'running' || state === 'queued') && by) ask(nodes, by);
  });
  return () => {
    off();
    again();
  };
}

// A page of an earlier version kept mistakes without their reasons.
const KEPT = 'nue.review.2';

/** Keeps a finished review beside the record; evaluations are in the record itself. */
export function keepReview(): void {
  const { state, mistakes, summary, nodes, total, by, opening } = review.value;
  try {
    if (state !== 'done') {
      sessionStorage.removeItem(KEPT);
      return;
    }
    const moves = nodes.flatMap((id) => study.value.nodes[id]?.move ?? []);
    sessionStorage.setItem(KEPT, JSON.stringify({ moves, mistakes, summary, total, by, opening }));
  } catch {
    // Not kept: the game can be examined again.
  }
}

export function restoreReview(): void {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Pick<ReviewState, 'mistakes' | 'summary' | 'total' | 'by' | 'opening'> & { moves: string[] } | null;
    if (!kept) return;
    const nodes = [0];
    for (const move of kept.moves) {
      const next = study.value.nodes[nodes[nodes.length - 1] ?? 0]?.children.find((id) => study.value.nodes[id]?.move === move);
      if (next === undefined) return;
      nodes.push(next);
    }
    review.value = { state: 'done', done: kept.total, total: kept.total, nodes, mistakes: kept.mistakes, summary: kept.summary, ...(kept.by && { by: kept.by }), ...(kept.opening && { opening: kept.opening }) };
  } catch {
    // as above
  }
}
