// Why a move the server does not list as legal is none, and what is wrong with a position it refuses.
// Words for people, found after the judgement: nothing is allowed or forbidden here.

import type { Color } from '../net/contract';
import type { Key } from '../i18n';
import { reach } from './reach';
import { fileOf, opposite, play, rankOf, square, type Diagram, type Piece } from './shogi';

type After<Prefix extends string, K extends string> = K extends `${Prefix}.${infer Rest}` ? Rest : never;

/** A word of the tables, with what belongs into its places. */
export type Reason = { why: After<'illegal', Key>; piece?: Piece; square?: string } | null;

const step = (from: number, to: number): number => Math.sign(to - from);

/** The first square in the way of a slide, none where the way is free or no slide. */
function blocked(diagram: Diagram, from: string, to: string): string | null {
  const df = step(fileOf(from), fileOf(to));
  const dr = step(rankOf(from), rankOf(to));
  const length = Math.max(Math.abs(fileOf(from) - fileOf(to)), Math.abs(rankOf(from) - rankOf(to)));
  // A knight jumps: its way is neither straight nor diagonal.
  const across = Math.abs(fileOf(from) - fileOf(to));
  const along = Math.abs(rankOf(from) - rankOf(to));
  if (across !== 0 && along !== 0 && across !== along) return null;
  for (let n = 1; n < length; n++) {
    const key = square(fileOf(from) + df * n, rankOf(from) + dr * n);
    if (diagram.squares.has(key)) return key;
  }
  return null;
}

/** Whether a piece goes from one square to the other as the board stands, checks aside. */
function goes(diagram: Diagram, from: string, to: string): boolean {
  const piece = diagram.squares.get(from);
  return !!piece && reach(piece, from, diagram.size).includes(to) && blocked(diagram, from, to) === null;
}

function attacked(diagram: Diagram, key: string, by: Color): boolean {
  return [...diagram.squares].some(([from, piece]) => piece.color === by && goes(diagram, from, key));
}

export function kingOf(diagram: Diagram, color: Color): string | null {
  for (const [key, piece] of diagram.squares) if (piece.letter === 'K' && piece.color === color) return key;
  return null;
}

function inCheck(diagram: Diagram, color: Color): boolean {
  const king = kingOf(diagram, color);
  return king !== null && attacked(diagram, king, opposite(color));
}

/** Whether an unpromoted piece there could never move again. */
function deadEnd(piece: Piece, key: string, size: number): boolean {
  return !piece.promoted && reach(piece, key, size).length === 0;
}

function pawnsOn(diagram: Diagram, color: Color, file: number): number {
  return [...diagram.squares].filter(([key, piece]) =>
    fileOf(key) === file && piece.color === color && piece.letter === 'P' && !piece.promoted).length;
}

function afterwards(diagram: Diagram, usi: string): Reason {
  const mine = diagram.turn;
  if (!inCheck(play(diagram, usi), mine)) return null;
  const from = usi[1] === '*' ? null : usi.slice(0, 2);
  if (from !== null && diagram.squares.get(from)?.letter === 'K') return { why: 'intocheck', square: usi.slice(2, 4) };
  return { why: inCheck(diagram, mine) ? 'staysincheck' : 'exposes' };
}

function drop(diagram: Diagram, letter: string, to: string): Reason {
  const piece: Piece = { letter, promoted: false, color: diagram.turn };
  if (!diagram.hands[diagram.turn].get(letter)) return { why: 'nohand', piece };
  if (diagram.squares.has(to)) return { why: 'occupied', square: to };
  if (letter === 'P' && pawnsOn(diagram, diagram.turn, fileOf(to)) > 0) return { why: 'twopawns' };
  if (deadEnd(piece, to, diagram.size)) return { why: 'deadend', piece, square: to };
  return afterwards(diagram, `${letter}*${to}`) ?? (letter === 'P' ? { why: 'dropmate' } : { why: 'rule' });
}

/** Why this move, which is not legal here, is not. */
export function whyIllegal(diagram: Diagram, usi: string): NonNullable<Reason> {
  const to = usi.slice(2, 4);
  const dropped = usi[1] === '*' ? drop(diagram, usi[0] ?? 'P', to) : null;
  if (dropped) return dropped;
  const from = usi.slice(0, 2);
  const piece = diagram.squares.get(from);
  if (!piece) return { why: 'nopiece', square: from };
  if (piece.color !== diagram.turn) return { why: 'notyours', piece, square: from };
  if (!reach(piece, from, diagram.size).includes(to)) return { why: 'cannotgo', piece, square: to };
  if (diagram.squares.get(to)?.color === diagram.turn) return { why: 'own', square: to };
  const between = blocked(diagram, from, to);
  if (between) return { why: 'blocked', piece, square: between };
  const check = afterwards(diagram, usi);
  if (check) return check;
  if (usi.endsWith('+')) return { why: piece.promoted || 'GK'.includes(piece.letter) ? 'nopromotion' : 'notincamp', piece };
  return deadEnd(piece, to, diagram.size) ? { why: 'mustpromote', piece, square: to } : { why: 'rule' };
}

/** Every move its pieces could make if rules about kings and pawns did not exist: what a visitor may have meant. */
export function imaginable(diagram: Diagram): string[] {
  const found: string[] = [];
  for (const [from, piece] of diagram.squares) {
    if (piece.color === diagram.turn) for (const to of reach(piece, from, diagram.size)) found.push(from + to, `${from}${to}+`);
  }
  for (const [letter, count] of diagram.hands[diagram.turn]) {
    if (count > 0) for (let n = 0; n < diagram.size ** 2; n++) found.push(`${letter}*${square((n % diagram.size) + 1, Math.floor(n / diagram.size) + 1)}`);
  }
  return found;
}

/** How many of each piece there are. */
export function fullSet(size: number): Record<string, number> {
  return size === 9 ? { P: 18, L: 4, N: 4, S: 4, G: 4, B: 2, R: 2 } : { P: 2, S: 2, G: 2, B: 2, R: 2 };
}

/** How many are neither on the board nor in a hand; fewer than none where there are too many. */
export function unused(diagram: Diagram): Map<string, number> {
  const left = new Map(Object.entries(fullSet(diagram.size)));
  const take = (letter: string, count: number): void => void left.set(letter, (left.get(letter) ?? 0) - count);
  for (const { letter } of diagram.squares.values()) if (letter !== 'K') take(letter, 1);
  for (const hand of [diagram.hands.black, diagram.hands.white]) for (const [letter, count] of hand) take(letter, count);
  return left;
}

export interface Fault {
  why: After<'fault', Key>;
  color?: Color; piece?: Piece; square?: string; count?: number;
}

/** What is wrong with a position that was set up. For mate problems the attacker needs no king. */
export function faults(diagram: Diagram, purpose: 'game' | 'mate'): Fault[] {
  const found: Fault[] = [];
  for (const [letter, left] of unused(diagram)) {
    if (left < 0) found.push({ why: 'toomany', piece: { letter, promoted: false, color: 'black' }, count: (fullSet(diagram.size)[letter] ?? 0) });
  }
  for (const color of ['black', 'white'] as const) {
    const kings = [...diagram.squares.values()].filter((piece) => piece.letter === 'K' && piece.color === color).length;
    if (kings > 1) found.push({ why: 'kings', color, count: kings });
    if (kings === 0 && purpose === 'game') found.push({ why: 'noking', color });
    for (let file = 1; file <= diagram.size; file++) if (pawnsOn(diagram, color, file) > 1) found.push({ why: 'twopawns', color, count: file });
  }
  for (const [key, piece] of diagram.squares) if (deadEnd(piece, key, diagram.size)) found.push({ why: 'deadend', piece, square: key });
  const waiting = opposite(diagram.turn);
  if (inCheck(diagram, waiting)) found.push({ why: 'check', color: waiting });
  return found;
}
