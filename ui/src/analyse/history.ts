// Undo and redo of a study: what it was before each change, and where in it one stood.

import type { Study } from './tree';

export interface Moment { study: Study; at: number }
export interface History { past: readonly Moment[]; future: readonly Moment[] }

export const NO_HISTORY: History = { past: [], future: [] };
const LONGEST = 200;

/** The history after a change of what was `now`. */
export function changed({ past }: History, now: Moment): History {
  return { past: [...past, now].slice(-LONGEST), future: [] };
}

/** One step back: the history then, and what to show; null where there is none. */
export function undone({ past, future }: History, now: Moment): [History, Moment] | null {
  const last = past[past.length - 1];
  return last ? [{ past: past.slice(0, -1), future: [now, ...future] }, withEvaluations(last, now.study)] : null;
}

/** One step forward again. */
export function redone({ past, future }: History, now: Moment): [History, Moment] | null {
  const [next, ...later] = future;
  return next ? [{ past: [...past, now], future: later }, withEvaluations(next, now.study)] : null;
}

/** What engines have found meanwhile stays: it is no change of the visitor's. A number means the same node at all times. */
function withEvaluations({ study, at }: Moment, now: Study): Moment {
  const nodes = { ...study.nodes };
  for (const [key, node] of Object.entries(nodes)) {
    const found = now.nodes[Number(key)];
    if (found?.eval && found.move === node.move) nodes[Number(key)] = { ...node, eval: found.eval };
  }
  return { study: { ...study, nodes }, at };
}
