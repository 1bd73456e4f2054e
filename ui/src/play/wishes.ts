// What was chosen for the last new game, kept for the next one; clocks by name.

import type { ClockRule, Color, NewGame, Variant } from '../net/contract';

export type ClockName = 'none' | 'blitz' | 'rapid' | 'classic' | 'long' | 'fischer' | 'own';
export const CLOCKS: Record<Exclude<ClockName, 'own'>, ClockRule | null> = {
  none: null,
  blitz: { main: 0, byoyomi: 10, increment: 0 },
  rapid: { main: 300, byoyomi: 15, increment: 0 },
  classic: { main: 600, byoyomi: 30, increment: 0 },
  long: { main: 1800, byoyomi: 60, increment: 0 },
  fischer: { main: 300, byoyomi: 0, increment: 5 },
};

export interface Wishes {
  variant: Variant; against: 'level' | 'engine' | 'human'; level: number; engine: string; movetime: number;
  handicap: string; side: Color | 'random'; clock: ClockName; own: ClockRule;
}

export const FIRST: Wishes = {
  variant: 'shogi', against: 'level', level: 2, engine: '', movetime: 1000, handicap: 'even', side: 'black',
  clock: 'none', own: { main: 900, byoyomi: 30, increment: 0 },
};

export function loadWishes(): Wishes {
  try {
    return { ...FIRST, ...(JSON.parse(localStorage.getItem('nue.wishes') ?? '{}') as Partial<Wishes>) };
  } catch {
    return FIRST;
  }
}

export function keepWishes(wishes: Wishes): void {
  try {
    localStorage.setItem('nue.wishes', JSON.stringify(wishes));
  } catch {
    // Not kept; the next game starts from the first choices.
  }
}

export function newGame(wishes: Wishes): NewGame {
  const opponent =
    wishes.against === 'human' ? { human: true }
      : wishes.against === 'engine' ? { engine: wishes.engine, movetime: wishes.movetime }
        : { level: wishes.level };
  return {
    variant: wishes.variant,
    handicap: wishes.variant === 'shogi' ? wishes.handicap : 'even',
    side: wishes.against === 'human' ? 'black' : wishes.side,
    opponent,
    clock: wishes.clock === 'own' ? wishes.own : CLOCKS[wishes.clock],
  };
}
