// The mistakes of a game as puzzles: the game is reviewed, each bad move of the visitor's side asked again.

import { signal } from '@preact/signals';
import type { Analysis, Color, Mistake, Opening, PositionAnswer, Position, Review, Tree } from '../net/contract';
import { t } from '../i18n';
import { Refusal, rest } from '../net/rest';
import { connection } from '../net/socket';
import { complain, toast } from '../parts/toast';
import { sound } from '../parts/sound';
import { go, routeHash } from '../route';

export interface Puzzle {
  mistake: Mistake;
  /** Moves before it. */
  moves: string[];
  sfen: string;
  last: string | null;
}

export type Verdict = { kind: 'best' | 'good' } | { kind: 'bad'; loss: number; move: string } | { kind: 'judging'; move: string };

export interface Lesson {
  game: string;
  tree: Tree;
  side: Color | 'both';
  done: number; total: number;
  state: Review['state'];
  opening?: Opening;
  puzzles: Puzzle[];
  at: number;
  solved: number[];
}

export const lesson = signal<Lesson | null>(null);
export const verdict = signal<Verdict | null>(null);
/** A line that is being played out on the board: its positions' moves so far. */
export const playing = signal<string[] | null>(null);
export const position = signal<Position | null>(null);
export const nonce = signal(0);
/** Whether the answer was asked for. */
export const shown = signal(false);

let serial = 0;
let trial = 0;

/** From how much a move that is not the best is not good either. */
const GOOD = 0.05;

function mainLine(tree: Tree): { moves: string[]; sfens: string[] } {
  const moves: string[] = [];
  const sfens = [tree.start];
  let at = 0;
  for (;;) {
    const next = tree.nodes.findIndex((node, index) => index > at && node.parent === at);
    const node = tree.nodes[next];
    if (!node?.move) break;
    moves.push(node.move);
    sfens.push(node.sfen ?? '');
    at = next;
  }
  return { moves, sfens };
}

export function puzzlesOf(tree: Tree, mistakes: Mistake[], side: Color | 'both'): Puzzle[] {
  const { moves, sfens } = mainLine(tree);
  return mistakes
    .filter((mistake) => mistake.grade !== 'inaccuracy' && (side === 'both' || mistake.side === side) && mistake.better.pv.length > 0)
    .map((mistake) => ({ mistake, moves: moves.slice(0, mistake.ply - 1), sfen: sfens[mistake.ply - 1] ?? '', last: moves[mistake.ply - 2] ?? null }));
}

export async function openLesson(id: string): Promise<void> {
  if (lesson.value?.game === id && lesson.value.state !== 'stopped' && lesson.value.state !== 'failed') return;
  try {
    const [tree, game] = await Promise.all([rest.gameTree(id), rest.game(id)]);
    const side = game.you === 'black' || game.you === 'white' ? game.you : 'both';
    lesson.value = { game: id, tree, side, done: 0, total: mainLine(tree).moves.length + 1, state: 'queued', puzzles: [], at: 0, solved: [] };
    startReview(tree);
  } catch (cause) {
    complain(cause);
    // There is no such game.
    if (cause instanceof Refusal && cause.code === 'not_found') go(routeHash('play'), true);
  }
}

function startReview(tree: Tree): void {
  serial += 1;
  const mine = serial;
  connection().begin({ type: 'review.start', serial, engine: 'nue', variant: tree.variant, sfen: tree.start, moves: mainLine(tree).moves, effort: 'normal' }, (cause) => {
    if (serial === mine && lesson.value) lesson.value = { ...lesson.value, state: 'failed' };
    complain(cause);
  });
}

/** What a lost connection has cut off begins again. */
function resume(): void {
  const now = lesson.value;
  if (!now) return;
  if (now.state === 'running' || now.state === 'queued') return startReview(now.tree);
  const waiting = verdict.value;
  if (waiting?.kind === 'judging') answer(waiting.move);
  else if (now.state === 'done' && position.value === null) void face(now.at);
}

function receive(message: Review): void {
  const now = lesson.value;
  if (!now || message.serial !== serial) return;
  const puzzles = message.mistakes ? puzzlesOf(now.tree, message.mistakes, now.side) : now.puzzles;
  lesson.value = { ...now, state: message.state, done: message.done ?? now.done, total: message.total || now.total, puzzles, ...(message.opening && { opening: message.opening }) };
  if (message.state === 'done') void face(0);
}

/** Shows a puzzle. */
export async function face(at: number): Promise<void> {
  const now = lesson.value;
  const puzzle = now?.puzzles[at];
  if (!now) return;
  lesson.value = { ...now, at };
  verdict.value = null;
  playing.value = null;
  shown.value = false;
  position.value = null;
  nonce.value += 1;
  if (!puzzle) return;
  try {
    const answer = await connection().request<PositionAnswer>({ type: 'position', variant: now.tree.variant, sfen: now.tree.start, moves: puzzle.moves });
    position.value = answer.position;
  } catch (cause) {
    complain(cause);
  }
}

function settle(kind: 'best' | 'good'): void {
  const now = lesson.value;
  if (!now) return;
  verdict.value = { kind };
  sound('turn');
  if (!now.solved.includes(now.at)) lesson.value = { ...now, solved: [...now.solved, now.at] };
}

/** The visitor's answer. */
export function answer(usi: string): void {
  const now = lesson.value;
  const puzzle = now?.puzzles[now.at];
  if (!now || !puzzle) return;
  sound('piece');
  if (usi === puzzle.mistake.better.pv[0]) return settle('best');
  verdict.value = { kind: 'judging', move: usi };
  trial += 1;
  connection().send({ type: 'analysis.start', slot: 'try', serial: trial, engine: 'nue', variant: now.tree.variant, sfen: now.tree.start, moves: [...puzzle.moves, usi], multipv: 1, threads: 1, seconds: 1 });
}

function judged(message: Analysis): void {
  const now = lesson.value;
  const puzzle = now?.puzzles[now.at];
  const waiting = verdict.value;
  if (message.slot !== 'try' || message.serial !== trial || !puzzle || waiting?.kind !== 'judging') return;
  if (message.state === 'failed') {
    verdict.value = null;
    nonce.value += 1;
    return toast(t('error.engine_failed'), true);
  }
  if (message.state !== 'done' && message.state !== 'over') return;
  const black = message.lines?.[0]?.winrate ?? (message.ending?.winner === 'black' ? 1 : 0);
  const mover = (rate: number): number => (puzzle.mistake.side === 'black' ? rate : 1 - rate);
  const loss = mover(puzzle.mistake.better.winrate ?? 1) - mover(black);
  if (loss < GOOD) return settle('good');
  verdict.value = { kind: 'bad', loss, move: waiting.move };
  nonce.value += 1;
}

let timer: ReturnType<typeof setInterval> | undefined;

/** Plays a line out on the board, move by move. */
export function playOut(line: readonly string[]): void {
  clearInterval(timer);
  const moves: string[] = [];
  playing.value = [];
  timer = setInterval(() => {
    const next = line[moves.length];
    if (next === undefined || playing.value === null) return clearInterval(timer);
    moves.push(next);
    playing.value = [...moves];
    sound('piece');
  }, 700);
}

export function listenToLessons(): () => void {
  const link = connection();
  const ends = [link.on('review', receive), link.on('analysis', judged), link.onOpen(resume)];
  return () => {
    clearInterval(timer);
    playing.value = null;
    for (const end of ends) end();
    const now = lesson.value;
    if (now && (now.state === 'running' || now.state === 'queued')) {
      link.send({ type: 'review.stop' });
      lesson.value = null;
    }
  };
}
