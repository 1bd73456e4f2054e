// What a screen reader is told. One polite log on the page says it; here is only the text.

import { signal } from '@preact/signals';
import { settings } from '../settings';
import { t, known } from '../i18n';
import { fileOf, rankOf, HAND_ORDER, type Diagram, type Piece } from './shogi';
import type { Color } from '../net/contract';
import type { Fault, Reason } from './illegal';

/** What was said last, in order: each is added to a log, so that none replaces one still being read. */
export const announcements = signal<readonly { id: number; text: string }[]>([]);
const KEPT = 5;
let said = 0;

export function announce(text: string): void {
  announcements.value = [...announcements.value.slice(1 - KEPT), { id: ++said, text }];
}

export function squareName(key: string): string {
  if (settings.language.value !== 'ja') return key;
  return `${fileOf(key)}${'一二三四五六七八九'[rankOf(key) - 1] ?? ''}`;
}

/** A side by its name, which in Japanese is another one where White gives a handicap. */
export function colorName(color: Color, handicap = false): string {
  if (handicap) return color === 'black' ? t('side.receiver') : t('side.giver');
  return color === 'black' ? t('side.black') : t('side.white');
}

export function pieceName(piece: Piece): string {
  return known('piece', `${piece.promoted ? '+' : ''}${piece.letter}`);
}

/** Why a move is not legal, in the visitor's words. */
export function reasonWords({ why, piece, square }: NonNullable<Reason>): string {
  return t(`illegal.${why}`, { piece: piece ? pieceName(piece) : '', square: square ? squareName(square) : '' });
}

/** What is wrong with a position, in the visitor's words. */
export function faultWords({ why, color, piece, square, count }: Fault): string {
  return t(`fault.${why}`, { side: color ? colorName(color) : '', piece: piece ? pieceName(piece) : '', square: square ? squareName(square) : '', n: count ?? 0 });
}

export function squareWords(diagram: Diagram, key: string, handicap = false): string {
  const piece = diagram.squares.get(key);
  const what = piece ? t('square.piece', { side: colorName(piece.color, handicap), piece: pieceName(piece) }) : t('square.empty');
  return `${squareName(key)} ${what}`;
}

function sideWords(diagram: Diagram, color: Color, handicap: boolean): string {
  const pieces = [...diagram.squares.entries()]
    .filter(([, piece]) => piece.color === color)
    .map(([key, piece]) => `${pieceName(piece)} ${squareName(key)}`);
  const held = HAND_ORDER.filter((letter) => (diagram.hands[color].get(letter) ?? 0) > 0)
    .map((letter) => `${known('piece', letter)} ${diagram.hands[color].get(letter)}`);
  return t('position.side', {
    side: colorName(color, handicap), pieces: pieces.join(', '), hand: held.join(', ') || t('position.nothing'),
  });
}

/** The whole position, for whoever does not see it. */
export function positionWords(diagram: Diagram, handicap = false): string {
  const turn = t('position.turn', { side: colorName(diagram.turn, handicap) });
  return `${turn} ${sideWords(diagram, 'black', handicap)} ${sideWords(diagram, 'white', handicap)}`;
}
