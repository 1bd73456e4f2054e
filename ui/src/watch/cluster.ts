// What a cluster's engines do, in words.

import { known, notated, t } from '../i18n';
import type { ClusterChild, ClusterDecision, ClusterMoves } from '../net/contract';

/** Moves in the visitor's notation. */
export function movesText(moves: ClusterMoves): string {
  return notated(moves).join(', ');
}

/** What a child is asked. */
export function taskText({ task, about }: Pick<ClusterChild, 'task' | 'about'>): string {
  const words = known('cluster.task', task);
  return about.usi.length === 0 ? words : t('cluster.about', { task: words, moves: movesText(about) });
}

/** Why a child is not asked anything. */
export function stateText({ state, again }: Pick<ClusterChild, 'state' | 'again'>): string {
  return again === null ? known('cluster.state', state) : t('cluster.again', { n: (again / 1000).toFixed(1) });
}

/** What was decided: a move, or what is none. */
export function answerText({ played, answer }: Pick<ClusterDecision, 'played' | 'answer'>): string {
  return played.usi.length === 0 ? known('cluster.answer', answer) : movesText(played);
}
