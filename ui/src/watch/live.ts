// Games being played elsewhere, on a server or in a match: what is known of each at once, and its record.

import { computed, signal } from '@preact/signals';
import type { Color, RunningGame, ServerGame, Tree, TreeNode, Variant } from '../net/contract';
import { Refusal, rest } from '../net/rest';
import { complain } from '../parts/toast';
import { pictures, pictureTime } from './state';

export interface LiveGame {
  /** `server:ID` or `match:NAME/NUMBER`: what addresses and studies call it too. */
  key: string;
  names: Record<Color, string>;
  event: string;
  sfen: string; last: string | null; turn: Color; moves: number;
  /** Milliseconds left as the turn began; null where that is not known. */
  left: Record<Color, number | null>;
  /** When the turn began, by this machine's clock; null while no clock runs. */
  since: number | null;
}

export const variantOf = (sfen: string): Variant => (sfen.split(' ')[0]?.split('/').length === 5 ? 'minishogi' : 'shogi');
const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);

export function ofServer(game: ServerGame, received: number): LiveGame {
  const { id, event, black, white, sfen, last, turn, moves, black_seconds, white_seconds, elapsed } = game;
  const since = game.running && elapsed !== null ? received - elapsed * 1000 : null;
  return { key: `server:${id}`, names: { black, white }, event, sfen, last, turn, moves, left: { black: ms(black_seconds), white: ms(white_seconds) }, since };
}

export function ofMatch(match: string, game: RunningGame): LiveGame {
  const [black, white] = game.players;
  const { sfen, last, turn, moves, since, left } = game;
  return { key: `match:${match}/${game.game}`, names: { black, white }, event: `${match}, ${game.game + 1}`, sfen, last, turn, moves, left: { black: left[0], white: left[1] }, since };
}

/** Every game that is being played now. */
export const liveGames = computed((): LiveGame[] => {
  const { server, match } = pictures.value;
  return [
    ...(server?.games ?? []).map((game) => ofServer(game, pictureTime.value)),
    ...(match?.matches ?? []).flatMap(({ name, running }) => running.map((game) => ofMatch(name, game))),
  ];
});

/** What is left to a side now; never less than nothing. */
export function leftNow(game: LiveGame, color: Color, now: number): number | null {
  const left = game.left[color];
  if (left === null) return null;
  return Math.max(0, left - (game.since !== null && game.turn === color ? Math.max(0, now - game.since) : 0));
}

/** The main line of a record, node by node. */
export function lineOf(tree: Tree): TreeNode[] {
  const first = new Map<number, number>();
  for (const [id, { parent }] of tree.nodes.entries()) if (parent !== null && parent !== undefined && !first.has(parent)) first.set(parent, id);
  const line: TreeNode[] = [];
  for (let at: number | undefined = 0; at !== undefined; at = first.get(at)) line.push(tree.nodes[at] as TreeNode);
  return line;
}

/** Time a side has used. A handicap game begins with White, a game from a position with whoever is to move. */
export function used(tree: Tree, color: Color): number {
  const begins: Color = tree.start.split(' ')[1] === 'w' ? 'white' : 'black';
  return lineOf(tree).slice(1).filter((_, index) => (index % 2 === 0) === (color === begins)).reduce((sum, node) => sum + (node.ms ?? 0), 0);
}

export const records = signal<Record<string, Tree>>({});

/** Fetches the record of a game, which has changed. */
export async function loadRecord(key: string): Promise<void> {
  const [kind, name] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
  const slash = name.lastIndexOf('/');
  try {
    const tree = await (kind === 'server' ? rest.serverTree(name) : rest.matchTree(name.slice(0, slash), name.slice(slash + 1)));
    records.value = { ...records.value, [key]: tree };
  } catch (cause) {
    // A game that ended a moment ago may be between its two places.
    if (!(cause instanceof Refusal && ['network', 'not_found'].includes(cause.code))) complain(cause);
  }
}

/** Where a game of that key is analysed. */
export function analysisParts(key: string): string[] {
  const [kind = '', rest_ = ''] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
  const slash = rest_.lastIndexOf('/');
  return kind === 'match' ? ['match', rest_.slice(0, slash), rest_.slice(slash + 1)] : ['server', rest_];
}

/** Columns for so many boards in a place of that size, and the side of a square. `wide` and `high` are a board's size in squares. */
export function layout(count: number, width: number, height: number, wide = 12.9, high = 12.6): { columns: number; side: number } {
  let best = { columns: 1, side: 0 };
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns);
    const side = Math.min((width / columns - 16) / wide, (height / rows - 16) / high);
    if (side > best.side) best = { columns, side };
  }
  return { ...best, side: Math.max(12, best.side) };
}
