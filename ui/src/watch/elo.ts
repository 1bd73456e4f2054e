// Elo with its interval, as people write it.

import type { Match } from '../net/contract';

type Interval = Match['engines'][number]['elo'];

export function eloText(elo: Interval): string {
  if (!elo) return '–';
  const text = (value: number | null): string => (value === null ? '∞' : value.toFixed(0));
  const [low, middle, high] = elo;
  return `${middle !== null && middle >= 0 ? '+' : ''}${text(middle)} [${text(low)}, ${text(high)}]`;
}
