// A position being set up, kept in the tab: leaving the editor's screen or reloading loses nothing.

import type { Color, Variant } from '../net/contract';
import { opposite, parseSfen, type Diagram, type Piece } from '../board/shogi';
import { unused } from '../board/illegal';

export interface Draft { variant: Variant; sfen: string }
const KEY = 'nue.editor';

export function loadDraft(): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Draft | null;
    return kept && parseSfen(kept.sfen) ? kept : null;
  } catch {
    return null;
  }
}

export function keepDraft(draft: Draft | null): void {
  try {
    if (draft) sessionStorage.setItem(KEY, JSON.stringify(draft));
    else sessionStorage.removeItem(KEY);
  } catch {
    // No right to store; the position lasts as long as the page.
  }
}

/** What a right click makes of a piece: promoted, then the other side's, and round again. */
export function turnedPiece(piece: Piece): Piece {
  const promotes = !'GK'.includes(piece.letter);
  if (promotes && !piece.promoted) return { ...piece, promoted: true };
  return { ...piece, promoted: false, color: opposite(piece.color) };
}

/** A hand with more or fewer of a piece; never fewer than none. */
export function withHand(diagram: Diagram, color: Color, letter: string, by: number): Diagram {
  const hands = { black: new Map(diagram.hands.black), white: new Map(diagram.hands.white) };
  hands[color].set(letter, Math.max(0, (hands[color].get(letter) ?? 0) + by));
  return { ...diagram, hands };
}

/** Everything that is nowhere goes to the hand of the side that is not to move, as mate problems have it. */
export function restToDefender(diagram: Diagram): Diagram {
  return [...unused(diagram)].reduce((made, [letter, left]) => (left > 0 ? withHand(made, opposite(diagram.turn), letter, left) : made), diagram);
}
