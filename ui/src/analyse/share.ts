// Addresses that hold a position or a whole game. Everything stands after the #: no server stores it.

import type { Variant } from '../net/contract';
import { facts } from '../hello';
import { routeHash } from '../route';
import { mainLine, movesTo, path, type Study } from './tree';

const NONE = '-';

/** The even start by the game's name, any other as SFEN without the marks that addresses give a meaning. */
export function startCode(variant: Variant, start: string): string {
  return start === facts(variant).start ? variant : start.replaceAll('/', '~').replaceAll(' ', '_');
}

/** The game and start a code means; null where it means none. */
export function readStart(code: string): { variant: Variant; start: string } | null {
  if (code === 'shogi' || code === 'minishogi') return { variant: code, start: facts(code).start };
  const start = code.replaceAll('~', '/').replaceAll('_', ' ');
  const ranks = start.split(' ')[0]?.split('/').length;
  return ranks === 9 || ranks === 5 ? { variant: ranks === 9 ? 'shogi' : 'minishogi', start } : null;
}

/** `#/analyse/game-of/START/MOVES/PLY/BLACK/WHITE`: the main line, or the line shown, and the place in it. */
export function gameHash(study: Study, at: number): string {
  const main = mainLine(study);
  const inMain = main.includes(at);
  const last = inMain ? (main[main.length - 1] ?? 0) : at;
  const moves = movesTo(study, last).join('.') || NONE;
  return routeHash('analyse', 'line', startCode(study.variant, study.start), moves, String(path(study, at).length - 1), study.black ?? NONE, study.white ?? NONE);
}

export function positionHash(variant: Variant, sfen: string): string {
  return routeHash('analyse', 'position', startCode(variant, sfen));
}

export interface SharedGame { variant: Variant; start: string; moves: string[]; ply: number; black?: string; white?: string }

/** What such an address holds; null where it is none. Whether moves are legal is for the server to say. */
export function readShared(parts: readonly string[]): SharedGame | null {
  const [kind, code, moves, ply, black, white] = parts;
  if ((kind !== 'line' && kind !== 'position') || !code) return null;
  const from = readStart(code);
  if (!from) return null;
  const list = kind === 'line' && moves && moves !== NONE ? moves.split('.') : [];
  if (!list.every((move) => /^([1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])$/.test(move))) return null;
  const names = { ...(black && black !== NONE && { black }), ...(white && white !== NONE && { white }) };
  return { ...from, moves: list, ply: Math.min(list.length, Math.max(0, Math.floor(Number(ply ?? list.length) || 0))), ...names };
}
