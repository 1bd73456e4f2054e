// The game on the board: what the server last said of it, and what the visitor asks for.
//
// The server's word is the whole state; the page adds only a move on its way (sent again after a
// lost connection, guarded by its ply) and the moment a message came, from which clocks count.

import { batch, signal } from '@preact/signals';
import type { Color, Game, Games, Hint, NewGame, OfferKind } from '../net/contract';
import { connection } from '../net/socket';
import { Refusal, rest } from '../net/rest';
import { notated, t } from '../i18n';
import { announce } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { sound } from '../parts/sound';
import { complain, toast } from '../parts/toast';
import { endingText } from '../parts/format';
import { go, routeHash } from '../route';
import { asked, ownName } from './friends';

export const game = signal<Game | null>(null);
/** A page of the visitor's games; null until it is known. */
export const games = signal<Games | null>(null);
/** Which page: how many games come before it, and whether it is the bin that is looked at. */
export const gamesPage = signal({ offset: 0, deleted: false });
export const GAMES_ON_A_PAGE = 10;
/** When the state came, for clocks. */
export const received = signal(0);
/** Which position is shown: plies from the start; null follows the game. */
export const shownPly = signal<number | null>(null);
export const flipped = signal(false);
export const hint = signal<Hint | null>(null);
export const asking = signal(false);
/** Grows when the board must forget a move the server refused. */
export const nonce = signal(0);
export const missing = signal(false);

let following: string | null = null;
let onTheWay: { move: string; ply: number } | null = null;

function tellNews(before: Game | null, now: Game): void {
  if (before?.game !== now.game) return;
  for (const move of now.moves.slice(before.moves.length)) {
    announce(`${notated(move)}${move.check ? `, ${t('check')}` : ''}`);
  }
  if (now.moves.length < before.moves.length) announce(t('play.takenback'));
  if (now.ending && !before.ending) sound('end');
  else if (now.moves.length > before.moves.length) {
    sound('piece');
    if (now.may.move && now.you !== 'both') sound('turn');
  }
  const offer = asked(now);
  if (offer && !asked(before)) {
    sound('turn');
    announce(t(`friend.asks.${offer}`));
  }
  const came = (side: Color): boolean => !!now.friends?.[side].taken && !before.friends?.[side].taken;
  if (came('black') || came('white')) {
    sound('turn');
    announce(t('friend.came'));
  }
  if (now.ending && !before.ending) announce(endingText(now.ending, now.you, isHandicap(now.start)));
}

function receive(now: Game): void {
  const before = game.value;
  if (now.game !== following) return;
  if (before?.game === now.game && now.revision < before.revision) return;
  batch(() => {
    received.value = performance.now();
    game.value = now;
    missing.value = false;
    if (before?.game !== now.game || before.moves.length !== now.moves.length) {
      shownPly.value = null;
      hint.value = null;
      nonce.value += 1;
    }
  });
  tellNews(before, now);
}

export function listenToGames(): void {
  const link = connection();
  link.on('game', receive);
  link.onOpen(() => {
    if (following) void reopen(following);
  });
}

async function reopen(id: string): Promise<void> {
  try {
    receive(await connection().request<Game>({ type: 'game.open', game: id }));
    const waiting = onTheWay;
    if (waiting && game.value?.position.ply === waiting.ply && game.value.may.move) await move(waiting.move);
    else onTheWay = null;
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'not_found') {
      missing.value = true;
      game.value = null;
    } else if (!(cause instanceof Refusal && cause.code === 'network')) {
      complain(cause);
    }
  }
}

/** Plays the side an invitation is for; where somebody else does, the visitor looks on. */
export async function join(id: string, key: string): Promise<void> {
  try {
    const joined = await connection().request<Game>({ type: 'game.join', game: id, key, name: ownName() });
    go(routeHash('play', id), true);
    follow(id);
    receive(joined);
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'network') return;
    if (cause instanceof Refusal && cause.code === 'not_allowed') toast(t('friend.taken'), true);
    else complain(cause);
    go(routeHash('play', id), true);
  }
}

/** Follows a game, or none. */
export function follow(id: string | null): void {
  if (following === id) return;
  if (following) connection().send({ type: 'game.close', game: following });
  following = id;
  batch(() => {
    missing.value = false;
    game.value = null;
    shownPly.value = null;
    hint.value = null;
    flipped.value = false;
  });
  onTheWay = null;
  if (id && connection().link.value === 'open') void reopen(id);
}

type Act = { type: 'game.takeback' | 'game.resign' | 'game.declare' } | { type: 'game.offer'; what: OfferKind } | { type: 'game.reply'; agree: boolean };

async function ask(act: Act): Promise<void> {
  const now = game.value;
  if (!now) return;
  try {
    receive(await connection().request<Game>({ ...act, game: now.game }));
  } catch (cause) {
    nonce.value += 1;
    complain(cause);
  }
}

export async function start(settings: NewGame): Promise<void> {
  try {
    const made = await connection().request<Game>({ type: 'game.new', ...settings });
    if (following && following !== made.game) connection().send({ type: 'game.close', game: following });
    following = made.game;
    batch(() => {
      flipped.value = false;
      hint.value = null;
      shownPly.value = null;
    });
    receive(made);
    go(routeHash('play', made.game));
  } catch (cause) {
    complain(cause);
  }
}

export async function move(usi: string): Promise<void> {
  const now = game.value;
  if (!now) return;
  const ply = now.position.ply;
  onTheWay = { move: usi, ply };
  try {
    receive(await connection().request<Game>({ type: 'game.move', game: now.game, move: usi, ply }));
    onTheWay = null;
  } catch (cause) {
    // A lost connection keeps the move: it goes out again when the game is opened anew.
    if (cause instanceof Refusal && cause.code === 'network') return;
    onTheWay = null;
    nonce.value += 1;
    complain(cause);
  }
}

/** A friend is asked first. */
export const takeBack = (): Promise<void> => ask(game.value?.friends ? { type: 'game.offer', what: 'takeback' } : { type: 'game.takeback' });
export const offerDraw = (): Promise<void> => ask({ type: 'game.offer', what: 'draw' });
export const reply = (agree: boolean): Promise<void> => ask({ type: 'game.reply', agree });
export const resign = (): Promise<void> => ask({ type: 'game.resign' });
export const declare = (): Promise<void> => ask({ type: 'game.declare' });

export async function askHint(): Promise<void> {
  const now = game.value;
  if (!now || asking.value) return;
  asking.value = true;
  try {
    const answer = await connection().request<Hint>({ type: 'game.hint', game: now.game });
    if (game.value?.revision === now.revision) {
      hint.value = answer;
      announce(t('play.hintis', { move: notated(answer) }));
    }
  } catch (cause) {
    complain(cause);
  } finally {
    asking.value = false;
  }
}

export async function loadGames(): Promise<void> {
  try {
    const { offset, deleted } = gamesPage.value;
    const page = await rest.games({ deleted, offset, limit: GAMES_ON_A_PAGE });
    // The last game of a page, or of the bin, is gone: the one before is shown.
    if (page.games.length === 0 && (offset > 0 || deleted)) {
      gamesPage.value = offset > 0 ? { offset: Math.max(0, offset - GAMES_ON_A_PAGE), deleted } : { offset: 0, deleted: false };
      return await loadGames();
    }
    games.value = page;
  } catch (cause) {
    complain(cause);
  }
}

async function thenLoad(work: Promise<unknown>): Promise<void> {
  try {
    await work;
    await loadGames();
  } catch (cause) {
    complain(cause);
  }
}

export async function restoreGame(id: string): Promise<void> {
  await thenLoad(rest.restoreGame(id));
}

export async function deleteGame(id: string): Promise<void> {
  await thenLoad(rest.deleteGame(id).then(() => toast(t('play.deleted'), false, { words: t('undo'), act: () => void restoreGame(id) })));
}

/** Whose side is at the bottom. */
export function bottom(now: Game): Color {
  const natural: Color = now.you === 'white' ? 'white' : 'black';
  return flipped.value ? (natural === 'black' ? 'white' : 'black') : natural;
}

/** Shows an earlier or later position of the game. */
export function step(by: number): void {
  const now = game.value;
  if (!now) return;
  const last = now.moves.length;
  const next = Math.min(last, Math.max(0, (shownPly.value ?? last) + by));
  shownPly.value = next === last ? null : next;
}
