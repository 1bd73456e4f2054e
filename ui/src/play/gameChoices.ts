// What was chosen for the last new game, kept for the next one; clocks by name.

import type { ClockRule, Color, NewGame, Style, Variant } from '../net/contract';
import { ownName } from './friends';

export type ClockName = 'none' | 'blitz' | 'rapid' | 'classic' | 'long' | 'fischer' | 'own';
export const CLOCKS: Record<Exclude<ClockName, 'own'>, ClockRule | null> = {
  none: null,
  blitz: { main: 0, byoyomi: 10, increment: 0 },
  rapid: { main: 300, byoyomi: 15, increment: 0 },
  classic: { main: 600, byoyomi: 30, increment: 0 },
  long: { main: 1800, byoyomi: 60, increment: 0 },
  fischer: { main: 300, byoyomi: 0, increment: 5 },
};

export interface GameChoices {
  variant: Variant; against: 'level' | 'engine' | 'human' | 'friend'; level: number; adaptive: boolean; style: Style; natural: boolean; engine: string; movetime: number;
  handicap: string; side: Color | 'random' | 'watch'; clock: ClockName; own: ClockRule;
  /** Name of the entering-king rule, or `auto` for what is usual. */
  declaration: string; maxMoves: number;
}

/** The most moves a game may be given; what it has where nothing is said. */
export const MOST_MOVES = 1000;
export const USUAL_MOVES = 500;

export const FIRST: GameChoices = {
  variant: 'shogi', against: 'level', level: 2, adaptive: false, style: 'any', natural: true, engine: '', movetime: 1000, handicap: 'even', side: 'black',
  clock: 'none', own: { main: 900, byoyomi: 30, increment: 0 }, declaration: 'auto', maxMoves: USUAL_MOVES,
};

/** Where they are kept, and where earlier pages kept them. */
const KEY = 'nue.new-game';
const EARLIER = 'nue.wishes';

export function loadChoices(): GameChoices {
  try {
    const kept = localStorage.getItem(KEY) ?? localStorage.getItem(EARLIER) ?? '{}';
    return { ...FIRST, ...(JSON.parse(kept) as Partial<GameChoices>) };
  } catch {
    return FIRST;
  }
}

export function keepChoices(choices: GameChoices): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(choices));
    localStorage.removeItem(EARLIER);
  } catch {
    // Not kept; the next game starts from the first choices.
  }
}

/** A position to begin from, in place of a handicap. */
export interface From { variant: Variant; start: string; /** Nue opens from this book. */ book?: { id: string; name: string } }

export function newGame(choices: GameChoices, from?: From): NewGame {
  const opponent =
    choices.against === 'human' ? { human: true }
      : choices.against === 'friend' ? { friend: true }
      : choices.against === 'engine' ? { engine: choices.engine, movetime: choices.movetime }
        : { level: choices.level, ...(choices.adaptive && { adaptive: true }) };
  const variant = from?.variant ?? choices.variant;
  return {
    variant,
    ...(from ? { start: from.start } : { handicap: variant === 'shogi' ? choices.handicap : 'even' }),
    side: choices.against === 'human' || (choices.side === 'watch' && choices.against !== 'friend') ? 'black' : choices.side,
    ...(choices.against === 'level' && { style: choices.style, natural: choices.natural, ...(from?.book && { book: from.book.id }) }),
    ...(choices.against === 'friend' && { name: ownName() }),
    opponent,
    clock: choices.clock === 'own' ? choices.own : CLOCKS[choices.clock],
    ...(variant === 'shogi' && choices.declaration !== 'auto' && { declaration: choices.declaration }),
    ...(choices.maxMoves !== USUAL_MOVES && { maxMoves: choices.maxMoves }),
  };
}
