// shogiground fed with our positions: the settings it takes for a position and what may be done.

import type { Config } from 'shogiground/config';
import type { Key, MoveDests, DropDests, Pieces } from 'shogiground/types';
import type { DrawShape } from 'shogiground/draw';
import type { Color, Position } from '../net/contract';
import { everySquare, mayPromote, reach } from './reach';
import { letterOf, pieceOf, promotesTo, roleOf, sideOf, unpromotesTo } from './roles';
import { parseSfen, touched, type Diagram } from './shogi';

/** Who may move here: one side, both (analysis), or nobody. */
export type Mover = Color | 'both' | null;

export interface View {
  sfen: string;
  last?: string | null | undefined;
  check?: string | null | undefined;
  mover: Mover;
  /** Legal moves; without them nothing can be moved. */
  position?: Position | null | undefined;
  premoves?: boolean;
  /** A handicap game, whose sides have names of their own. */
  handicap?: boolean;
  /** A change puts the board back to this view, whatever was moved on it (a refused move). */
  nonce?: number;
}

/** A mark of the page's own on the board. */
export interface Mark { move: string; brush: 'hint' | 'best' | 'second' | 'better' | 'played' | 'book'; label?: string }

function moveDests(position: Position | null | undefined): MoveDests {
  return new Map(Object.entries(position?.destinations ?? {})) as MoveDests;
}

function dropDests(position: Position | null | undefined): DropDests {
  const found = new Map<string, string[]>();
  if (position) {
    for (const [letter, keys] of Object.entries(position.drops)) found.set(`${sideOf(position.turn)} ${roleOf(letter)}`, keys);
  }
  return found as unknown as DropDests;
}

/** What changes with every position. */
export function positionConfig(view: View, diagram: Diagram): Config {
  const [board, , hands] = view.sfen.split(' ');
  const mover = view.mover === 'both' ? diagram.turn : view.mover;
  return {
    sfen: { board: board ?? '', hands: hands ?? '-' },
    turnColor: sideOf(diagram.turn),
    activeColor: mover ? sideOf(mover) : undefined,
    lastDests: touched(view.last) as Key[],
    checks: view.check ? [view.check as Key] : false,
    movable: { dests: moveDests(view.position) },
    droppable: { dests: dropDests(view.position) },
    premovable: { enabled: !!view.premoves },
    predroppable: { enabled: !!view.premoves },
  };
}

export interface Hooks {
  view: () => View;
  size: () => number;
  move: (usi: string) => void;
}

/** What stays: how promotion is asked and where a made move goes. */
export function standingConfig(hooks: Hooks, hand: readonly string[]): Config {
  const listed = (kind: 'may' | 'must', orig: string, dest: string): boolean =>
    !!hooks.view().position?.promotions[kind].includes(orig + dest);
  const ahead = (orig: string, dest: string): boolean => {
    const diagram = parseSfen(hooks.view().sfen);
    const piece = diagram?.squares.get(orig);
    if (!diagram || !piece || piece.color === diagram.turn) return false;
    return mayPromote(piece, orig, dest, diagram.size);
  };
  /** A move made ahead may meet a rule it could not know: promotion where it is forced. */
  const lawful = (usi: string): string => {
    const legal = hooks.view().position?.legal ?? [];
    return !legal.includes(usi) && legal.includes(`${usi}+`) ? `${usi}+` : usi;
  };
  return {
    hands: { roles: hand.map((letter) => roleOf(letter)) },
    scaleDownPieces: false,
    disableContextMenu: true,
    highlight: { lastDests: true, check: true, hovered: false },
    movable: { free: false, showDests: true, events: { after: (orig, dest, prom) => hooks.move(lawful(orig + dest + (prom ? '+' : ''))) } },
    droppable: { free: false, showDests: true, events: { after: (piece, key) => hooks.move(`${letterOf(piece.role)}*${key}`) } },
    premovable: { generate: (key, pieces: Pieces) => {
      const piece = pieces.get(key);
      return piece ? (reach(pieceOf(piece.role, piece.color), key, hooks.size()) as Key[]) : [];
    } },
    predroppable: { generate: (_, pieces: Pieces) => everySquare(hooks.size()).filter((key) => !pieces.has(key as Key)) as Key[] },
    promotion: {
      promotesTo, unpromotesTo,
      movePromotionDialog: (orig, dest) => listed('may', orig, dest) || ahead(orig, dest),
      forceMovePromotion: (orig, dest) => listed('must', orig, dest),
    },
    draggable: { showGhost: true },
    drawable: { enabled: true, visible: true, eraseOnClick: true },
  };
}

export function shapes(marks: readonly Mark[], turn: Color): DrawShape[] {
  return marks.map(({ move, brush, label }) => {
    const dest = move.slice(2, 4) as Key;
    const orig = move[1] === '*' ? { role: roleOf(move[0] ?? 'P'), color: sideOf(turn) } : (move.slice(0, 2) as Key);
    return { orig, dest, brush, ...(label ? { description: label } : {}) };
  });
}
