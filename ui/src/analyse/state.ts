// The record being looked at, where in it, and what the server knows of that position.

import { batch, computed, signal } from '@preact/signals';
import type { Color, Line, Position, PositionAnswer, Tree, Variant } from '../net/contract';
import { connection } from '../net/socket';
import { notated, t } from '../i18n';
import { announce } from '../board/announce';
import { facts } from '../hello';
import { sound } from '../parts/sound';
import { complain } from '../parts/toast';
import { Refusal, rest } from '../net/rest';
import type { SharedGame } from './share';
import { emptyStudy, fromTree, lineThrough, movesTo, path, promoted, toTree, withMove, without, type Study } from './tree';

const KEPT = 'nue.study';

export const study = signal<Study>(emptyStudy('shogi', ''));
export const current = signal(0);
export const orientation = signal<Color>('black');
/** What may be moved here; null until the server has said. */
export const position = signal<Position | null>(null);
export const nonce = signal(0);
/** Another record was opened: what belonged to the last one goes. */
export const opened = signal(0);

export const node = computed(() => study.value.nodes[current.value] ?? { parent: null, children: [], sfen: study.value.start });
export const moves = computed(() => movesTo(study.value, current.value));
export const line = computed(() => lineThrough(study.value, current.value));

const answers = new Map<string, Position>();

function placeKey(): string {
  return `${study.value.variant}|${study.value.start}|${moves.value.join(' ')}`;
}

/** Asks what is legal at the shown position. */
export async function askPosition(): Promise<void> {
  const key = placeKey();
  const known = answers.get(key);
  if (known) {
    position.value = known;
    return;
  }
  position.value = null;
  try {
    const { variant, start } = study.value;
    const answer = await connection().request<PositionAnswer>({ type: 'position', variant, sfen: start, moves: moves.value });
    if (answers.size > 2000) answers.clear();
    answers.set(key, answer.position);
    if (placeKey() === key) position.value = answer.position;
  } catch (cause) {
    if (!(cause instanceof Refusal && cause.code === 'network')) complain(cause);
  }
}

export function goTo(id: number): void {
  if (!study.value.nodes[id] || id === current.value) return;
  current.value = id;
  const { ja, en, check, end } = node.value;
  if (ja && en) announce(`${notated({ ja, en })}${check ? `, ${t('check')}` : ''}`);
  else if (end) announce(t('analyse.end'));
}

/** Steps along the line through the shown node. */
export function step(by: number): void {
  const at = path(study.value, current.value).length - 1;
  const target = line.value[Math.min(line.value.length - 1, Math.max(0, at + by))];
  if (target !== undefined) goTo(target);
}

/** Steps to the next or last variation beside the shown node. */
export function stepAside(by: number): void {
  const parent = node.value.parent;
  const siblings = parent === null ? [] : (study.value.nodes[parent]?.children ?? []);
  const target = siblings[siblings.indexOf(current.value) + by];
  if (target !== undefined) goTo(target);
}

/** Plays a line from a node, adding what is not there yet; answers the last node. */
export async function addLine(from: number, wanted: readonly string[]): Promise<number> {
  const { variant, start } = study.value;
  const answer = await connection().request<Line>({ type: 'line', variant, sfen: start, moves: movesTo(study.value, from), line: [...wanted] });
  let changed = study.value;
  let at = from;
  for (const [index, move] of answer.line.entries()) {
    const words = { ja: answer.ja[index] ?? move, en: answer.en[index] ?? move, sfen: answer.sfens[index] ?? '' };
    [changed, at] = withMove(changed, at, { move, ...words });
  }
  study.value = changed;
  return at;
}

export async function playMove(usi: string): Promise<void> {
  try {
    goTo(await addLine(current.value, [usi]));
    sound('piece');
  } catch (cause) {
    nonce.value += 1;
    complain(cause);
  }
}

export function removeHere(): void {
  const parent = node.value.parent;
  if (parent === null) return;
  const gone = current.value;
  batch(() => {
    current.value = parent;
    study.value = without(study.value, gone);
  });
}

export function promoteHere(): void {
  study.value = promoted(study.value, current.value);
}

function show(next: Study, at = 0): void {
  batch(() => {
    study.value = next;
    current.value = at;
    position.value = null;
    opened.value += 1;
  });
}

export function openTree(tree: Tree): void {
  show(fromTree(tree));
}

export function openStart(variant: Variant, start?: string): void {
  show(emptyStudy(variant, start ?? facts(variant).start));
}

/** A game out of an address: its start, its moves as far as they are legal, the place in it. */
export async function openShared({ variant, start, moves: list, ply, black, white }: SharedGame): Promise<void> {
  const answer = await rest.check(variant, start, 'mate');
  if (!answer.ok) throw new Refusal('bad_position', answer.reasons.join('; '));
  show({ ...emptyStudy(variant, answer.sfen), ...(black && { black }), ...(white && { white }) });
  await addLine(0, list);
  goTo(line.value[Math.min(ply, line.value.length - 1)] ?? 0);
}

/** What was on the board when the page was left, or the start. */
export function restore(): void {
  if (study.value.start !== '') return;
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as { tree: Tree; at: number } | null;
    if (kept) {
      const found = fromTree(kept.tree);
      show(found, found.nodes[kept.at] ? kept.at : 0);
      return;
    }
  } catch {
    // Not readable: begin anew.
  }
  openStart('shogi');
}

/** Keeps the record in the browser, so that a reload loses nothing. */
export function keep(): void {
  try {
    const tree = toTree(study.value);
    // Numbers change on the way out; the place is kept by its moves.
    const found = fromTree(tree);
    let at = 0;
    for (const move of moves.value) at = found.nodes[at]?.children.find((child) => found.nodes[child]?.move === move) ?? at;
    sessionStorage.setItem(KEPT, JSON.stringify({ tree, at }));
  } catch {
    // No room or no right to store; the record lasts as long as the page.
  }
}
