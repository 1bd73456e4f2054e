// What a handicap makes of a level, and which one makes a game even: by the figures the server tells.

import type { HandicapFacts } from '../net/contract';

/** As which level a level plays that gives a handicap, or receives it: below 1 it is weaker than the first. */
export function playsLike(handicap: HandicapFacts, level: number, gives: boolean): number {
  const worth = handicap.worth[level - 1] ?? 0;
  return gives ? level - worth : level + worth;
}

/** A handicap for a game between a level and somebody who plays like `strength`: which one, and whether the level gives it. */
export interface EvenHandicap { id: string; gives: boolean; like: number }

/** The handicap that makes the game most even; an even start where that is as near as any. */
export function evenHandicap(handicaps: HandicapFacts[], level: number, strength: number): EvenHandicap | null {
  const gives = level >= strength;
  let best: EvenHandicap | null = null;
  for (const handicap of handicaps) {
    const like = playsLike(handicap, level, gives);
    if (best === null || Math.abs(like - strength) < Math.abs(best.like - strength)) best = { id: handicap.id, gives, like };
  }
  return best;
}
