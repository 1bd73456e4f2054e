// The keyboard on the board: arrows move a cursor, Enter takes and puts down, a letter takes a
// piece from the hand. Every step is said.

import type { Api } from 'shogiground/api';
import type { Key } from 'shogiground/types';
import type { Color } from '../net/contract';
import { known, t } from '../i18n';
import { reasonWords, squareWords } from './announce';
import type { View } from './ground';
import { whyIllegal } from './illegal';
import { letterOf, roleOf, sideOf } from './roles';
import { fileOf, rankOf, square, type Diagram } from './shogi';

export interface CursorAnswer { cursor?: string; say?: string; promotion?: { orig: string; dest: string } }
interface Around { api: Api; diagram: Diagram; view: View; orientation: Color }

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [1, 0], ArrowRight: [-1, 0],
};

export function startCursor(size: number, orientation: Color): string {
  const middle = Math.ceil(size / 2);
  return square(middle, orientation === 'black' ? size : 1);
}

function step(cursor: string, key: string, { diagram, orientation }: Around): string | null {
  const arrow = ARROWS[key];
  if (!arrow) return null;
  const turned = orientation === 'black' ? 1 : -1;
  const inside = (n: number): number => Math.min(diagram.size, Math.max(1, n));
  return square(inside(fileOf(cursor) + arrow[0] * turned), inside(rankOf(cursor) + arrow[1] * turned));
}

function choose(cursor: string, { api, diagram, view }: Around): CursorAnswer {
  const { selected, selectedPiece } = api.state;
  if (selected && view.position?.promotions.may.includes(selected + cursor)) {
    return { cursor, promotion: { orig: selected, dest: cursor } };
  }
  if (selected === cursor) {
    api.selectSquare(null);
    return { cursor, say: t('cursor.dropped') };
  }
  const tried = selected ?? (selectedPiece ? `${letterOf(selectedPiece.role)}*` : null);
  api.selectSquare(cursor as Key);
  if (api.state.selected === cursor) {
    const count = view.position?.destinations[cursor]?.length ?? 0;
    return { cursor, say: t('cursor.taken', { what: squareWords(diagram, cursor, view.handicap), count }) };
  }
  const made = tried !== null && !api.state.selected && !api.state.selectedPiece;
  if (made && api.state.pieces.get(cursor as Key) !== undefined) return { cursor };
  if (tried !== null && view.position) return { cursor, say: reasonWords(whyIllegal(diagram, tried + cursor)) };
  return { cursor, say: t('cursor.cannot', { what: squareWords(diagram, cursor, view.handicap) }) };
}

function fromHand(letter: string, cursor: string, { api, diagram, view }: Around): CursorAnswer {
  const mover = view.mover === 'both' ? diagram.turn : view.mover;
  const count = mover ? (diagram.hands[mover].get(letter) ?? 0) : 0;
  if (!mover || count === 0) return { cursor, say: t('cursor.nohand', { piece: known('piece', letter) }) };
  api.selectPiece({ role: roleOf(letter), color: sideOf(mover) });
  return { cursor, say: t('cursor.hand', { piece: known('piece', letter), count }) };
}

/** What a key does; null where it means nothing here. */
export function moveCursor(key: string, cursor: string, around: Around): CursorAnswer | null {
  const next = step(cursor, key, around);
  if (next) return { cursor: next, say: squareWords(around.diagram, next, around.view.handicap) };
  if (key === 'Enter' || key === ' ') return choose(cursor, around);
  if (key === 'Escape') {
    around.api.cancelMoveOrDrop();
    return { cursor, say: t('cursor.dropped') };
  }
  const letter = key.toUpperCase();
  if (key.length === 1 && 'PLNSGBR'.includes(letter)) return fromHand(letter, cursor, around);
  return null;
}
