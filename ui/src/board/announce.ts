// What a screen reader is told. One polite region on the page says it; here is only the text.

import { signal } from '@preact/signals';
import { settings } from '../settings';
import { t, known } from '../i18n';
import { fileOf, rankOf, HAND_ORDER, type Diagram, type Piece } from './shogi';
import type { Color } from '../net/contract';

export const announcement = signal('');

/** Says something; the same words twice are said twice. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
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

export function squareWords(diagram: Diagram, key: string): string {
  const piece = diagram.squares.get(key);
  const what = piece ? t('square.piece', { side: colorName(piece.color), piece: pieceName(piece) }) : t('square.empty');
  return `${squareName(key)} ${what}`;
}

function sideWords(diagram: Diagram, color: Color): string {
  const pieces = [...diagram.squares.entries()]
    .filter(([, piece]) => piece.color === color)
    .map(([key, piece]) => `${pieceName(piece)} ${squareName(key)}`);
  const held = HAND_ORDER.filter((letter) => (diagram.hands[color].get(letter) ?? 0) > 0)
    .map((letter) => `${known('piece', letter)} ${diagram.hands[color].get(letter)}`);
  return t('position.side', {
    side: colorName(color), pieces: pieces.join(', '), hand: held.join(', ') || t('position.nothing'),
  });
}

/** The whole position, for whoever does not see it. */
export function positionWords(diagram: Diagram): string {
  const turn = t('position.turn', { side: colorName(diagram.turn) });
  return `${turn} ${sideWords(diagram, 'black')} ${sideWords(diagram, 'white')}`;
}
