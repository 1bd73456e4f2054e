// The record being looked at, where in it, and what the server knows of that position.

import { batch, computed, signal } from '@preact/signals';
import type { Color, Line, Position, PositionAnswer, Study as StoredStudy, Tree, Variant } from '../net/contract';
import { connection } from '../net/socket';
import { notated, t } from '../i18n';
import { announce } from '../board/announce';
import { facts } from '../hello';
import { sound } from '../parts/sound';
import { complain, toast } from '../parts/toast';
import { Refusal, rest } from '../net/rest';
import { go, route, routeHash } from '../route';
import { changed as recorded, NO_HISTORY, redone, undone, type History, type Moment } from './history';
import { Keeper } from './keeper';
import type { SharedGame } from './share';
import { below, emptyStudy, fromTree, headerOf, lineThrough, merged, movesTo, path, promoted, toTree, withMove, without, type Study } from './tree';
import { BLACK, WHITE } from '../i18n/headers';

const KEPT = 'nue.study';

export const study = signal<Study>(emptyStudy('shogi', ''));
export const current = signal(0);
export const orientation = signal<Color>('black');
/** What may be moved here; null until the server has said. */
export const position = signal<Position | null>(null);
export const nonce = signal(0);
/** What was, and what was taken back. */
export const history = signal<History>(NO_HISTORY);
/** Where the study is kept. */
export const keeper = signal(new Keeper());
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
  change(changed);
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

/** Changes the study; the change can be undone. */
export function change(next: Study, at = current.value): void {
  if (next === study.value) return;
  batch(() => {
    history.value = recorded(history.value, { study: study.value, at: current.value });
    study.value = next;
    current.value = at;
  });
}

function travel(step: (history: History, now: Moment) => [History, Moment] | null, words: string): void {
  const found = step(history.value, { study: study.value, at: current.value });
  if (!found) return;
  batch(() => {
    history.value = found[0];
    study.value = found[1].study;
    current.value = found[1].at;
  });
  announce(words);
}

export const undo = (): void => travel(undone, t('undone'));
export const redo = (): void => travel(redone, t('redone'));

export function removeHere(): void {
  const parent = node.value.parent;
  if (parent === null) return;
  const gone = below(study.value, current.value).length;
  change(without(study.value, current.value), parent);
  toast(t('tree.removed', { n: gone }), false, { words: t('undo'), act: undo });
}

export function promoteHere(): void {
  change(promoted(study.value, current.value));
}

/** The name of the study, its players where it has none. */
export function studyTitle(): string {
  const players = [headerOf(study.value, BLACK), headerOf(study.value, WHITE)].filter((name) => name);
  return keeper.value.details.value.name || players.join(' – ') || t('study.untitled');
}

function show(next: Study, at: number, kept: Keeper): void {
  // What was on the board is saved before it goes.
  void keeper.value.flush();
  kept.onSaved = () => saved(kept);
  batch(() => {
    keeper.value = kept;
    study.value = next;
    current.value = at;
    history.value = NO_HISTORY;
    position.value = null;
    opened.value += 1;
  });
}

/** The study that is known to be as the server has it, or newer. */
let fresh: string | null = null;

const others = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('nue.studies');

/** The study has an address now, and other windows that show it are told. */
function saved(kept: Keeper): void {
  if (kept === keeper.value && kept.id && route.value.screen === 'analyse' && route.value.rest[0] !== 'studies') {
    const here = routeHash('analyse', 'study', kept.id);
    if (location.hash !== here) go(here, true);
  }
  fresh = kept.id;
  keep();
  others?.postMessage({ study: kept.id, revision: kept.revision });
}

/** Another window has saved the study that is on the board here. */
export function listenToOthers(): () => void {
  const listener = ({ data }: MessageEvent<{ study: string; revision: number }>): void => {
    const { id, revision, unsaved } = keeper.value;
    if (data.study === id && data.revision > revision && !unsaved) void openStudy(id, true);
  };
  others?.addEventListener('message', listener);
  return () => others?.removeEventListener('message', listener);
}

/** The place reached by moves, as far as they are in the study. */
function placeOf(found: Study, list: readonly string[]): number {
  let at = 0;
  for (const move of list) at = found.nodes[at]?.children.find((child) => found.nodes[child]?.move === move) ?? at;
  return at;
}

function showStored({ about, tree, at }: StoredStudy, place: readonly string[] = at): void {
  const found = fromTree(tree);
  const here = placeOf(found, place);
  show(found, here, Keeper.of(about, found, here));
}

/** Opens a study of the visitor's. One that is on the board already is read again only where the server has a newer one. */
export async function openStudy(id: string, again = false): Promise<void> {
  const here = keeper.value;
  if (here.id === id && here.unsaved) return here.flush();
  if (here.id === id && fresh === id && !again) return;
  const found = await rest.study(id);
  fresh = id;
  if (keeper.value.id === id && (found.about.revision === keeper.value.revision || keeper.value.unsaved)) return;
  showStored(found, again ? moves.value : found.at);
}

/** A record from outside: kept from the beginning. */
export function openTree(tree: Tree): void {
  const found = fromTree(tree);
  show(found, 0, found.next > 1 ? new Keeper() : Keeper.quiet(found));
}

/** A game played or watched here: kept when something is added; what was added earlier is there again. */
export async function openSource(source: string, tree: Tree): Promise<void> {
  const found = fromTree(tree);
  const [known] = (await rest.studies({ source, limit: 1 })).studies;
  if (!known) return show(found, 0, Keeper.quiet(found, source));
  showStored(await rest.study(known.study));
  // The game may have gone on since.
  study.value = merged(study.value, found);
}

export function openStart(variant: Variant, start?: string): void {
  const empty = emptyStudy(variant, start ?? facts(variant).start);
  show(empty, 0, Keeper.quiet(empty));
}

/** A game out of an address: its start, its moves as far as they are legal, the place in it. */
export async function openShared({ variant, start, moves: list, ply, black, white }: SharedGame): Promise<void> {
  const answer = await rest.check(variant, start, 'mate');
  if (!answer.ok) throw new Refusal('bad_position', answer.reasons.join('; '));
  const empty = { ...emptyStudy(variant, answer.sfen), ...(black && { black }), ...(white && { white }) };
  show(empty, 0, Keeper.quiet(empty));
  const last = await addLine(0, list);
  if (path(study.value, last).length <= list.length) toast(t('share.cut'), true);
  // What the link holds is kept when something is added to it.
  history.value = NO_HISTORY;
  keeper.value = Keeper.quiet(study.value);
  keeper.value.onSaved = () => saved(keeper.value);
  goTo(line.value[Math.min(ply, line.value.length - 1)] ?? 0);
}

interface Kept { tree: Tree; at: number; id?: string | null; revision?: number; source?: string | null; name?: string; folder?: string; tags?: string[]; unsaved?: boolean }

/** What was on the board when the page was left, or the start. */
export function restore(): void {
  if (study.value.start !== '') return;
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Kept | null;
    if (kept) {
      const found = fromTree(kept.tree);
      const before = kept.unsaved ? new Keeper() : Keeper.quiet(found);
      before.id = kept.id ?? null;
      before.revision = kept.revision ?? 0;
      before.source = kept.source ?? null;
      before.details.value = { name: kept.name ?? '', folder: kept.folder ?? '', tags: kept.tags ?? [] };
      if (before.id && !kept.unsaved) before.saving.value = 'saved';
      show(found, found.nodes[kept.at] ? kept.at : 0, before);
      return;
    }
  } catch {
    // Not readable: begin anew.
  }
  openStart('shogi');
}

/** Tells the keeper what is on the board, and keeps it in the browser too: a reload loses nothing, with or without the server. */
export function keep(): void {
  keeper.value.notice(study.value, current.value);
  try {
    const tree = toTree(study.value);
    // Numbers change on the way out; the place is kept by its moves.
    const at = placeOf(fromTree(tree), moves.value);
    const { id, revision, source, unsaved, details } = keeper.value;
    sessionStorage.setItem(KEPT, JSON.stringify({ tree, at, id, revision, source, unsaved, ...details.value } satisfies Kept));
  } catch {
    // No room or no right to store; the record lasts as long as the page.
  }
}
