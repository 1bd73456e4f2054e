// Opening books beside the board: which one, what it says of the position shown, and how it is changed, grown and played.

import { computed, signal } from '@preact/signals';
import type { BookEdit, BookFacts, BookPage, Growth } from '../net/contract';
import { t } from '../i18n';
import { announce } from '../board/announce';
import type { Mark } from '../board/ground';
import { connection } from '../net/socket';
import { Refusal, rest } from '../net/rest';
import { complain, toast } from '../parts/toast';
import { moves, study } from './state';

const OPEN = 'nue.book.open';
const CHOSEN = 'nue.book';

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Not kept; it is chosen again after a reload.
  }
}

export const open = signal(kept(OPEN) === 'yes');
export const books = signal<BookFacts[] | null>(null);
const chosen = signal(kept(CHOSEN));
/** What the book says, and of which position. */
const answer = signal<{ place: string; page: BookPage } | null>(null);
export const growth = signal<Growth | null>(null);

/** Books of the game on the board. */
export const choices = computed(() => (books.value ?? []).filter(({ variant }) => variant === study.value.variant));
export const book = computed(() => choices.value.find((one) => one.book === chosen.value) ?? choices.value[0] ?? null);

const place = (): string => `${book.value?.book}|${study.value.variant}|${study.value.start}|${moves.value.join(' ')}`;
/** The page of the position shown; null until it has come. */
export const page = computed(() => (answer.value?.place === place() ? answer.value.page : null));

export function setOpen(value: boolean): void {
  if (value === open.value) return;
  open.value = value;
  keep(OPEN, value ? 'yes' : 'no');
}

export function choose(id: string): void {
  chosen.value = id;
  keep(CHOSEN, id);
}

export async function loadBooks(): Promise<void> {
  try {
    books.value = (await rest.books()).books;
  } catch (cause) {
    complain(cause);
  }
}

function here(): { variant: 'shogi' | 'minishogi'; sfen: string; moves: string[] } {
  const { variant, start } = study.value;
  return { variant, sfen: start, moves: [...moves.value] };
}

/** Asks the book about the position shown. */
export async function look(): Promise<void> {
  const asked = place();
  const from = book.value;
  if (!open.value || !from) return;
  try {
    const found = await rest.lookAtBook(from.book, here());
    if (place() === asked) {
      answer.value = { place: asked, page: found };
      update(found.book);
    }
  } catch (cause) {
    // A problem without kings is in no book.
    const quiet = cause instanceof Refusal && ['network', 'bad_position'].includes(cause.code);
    if (!quiet) complain(cause);
  }
}

function update(facts: BookFacts): void {
  books.value = (books.value ?? []).map((one) => (one.book === facts.book ? facts : one));
}

/** Does something to the book and shows what became of it. */
async function act(work: (id: string) => Promise<BookFacts>): Promise<boolean> {
  const id = book.value?.book;
  if (!id) return false;
  try {
    update(await work(id));
    await look();
    return true;
  } catch (cause) {
    complain(cause);
    return false;
  }
}

export const edit = (change: Omit<BookEdit, 'variant' | 'sfen' | 'moves'>): Promise<boolean> => act((id) => rest.editBook(id, { ...here(), ...change }));

export async function travel(way: 'undo' | 'redo'): Promise<void> {
  if (await act((id) => rest.travelBook(id, way))) announce(t(way === 'undo' ? 'undone' : 'redone'));
}

export async function remove(move: string, words: string): Promise<void> {
  if (await edit({ move, remove: true })) toast(t('book.moveremoved', { move: words }), false, { words: t('undo'), act: () => void travel('undo') });
}

/** What can be wrong with a file somebody chose. */
function refused(cause: unknown): void {
  const code = cause instanceof Refusal ? cause.code : '';
  if (code === 'unreadable') toast(`${t('book.unreadable')} (${(cause as Refusal).message})`, true);
  else if (code === 'too_large') toast(t('book.toolarge'), true);
  else complain(cause);
}

async function added(made: Promise<BookFacts>): Promise<void> {
  try {
    const facts = await made;
    await loadBooks();
    choose(facts.book);
    await look();
  } catch (cause) {
    refused(cause);
  }
}

export const create = (name: string): Promise<void> => added(rest.newBook({ name, variant: study.value.variant }));
export const read = (file: File): Promise<void> => added(rest.readBook(file.name, study.value.variant, file));
export const rename = (name: string): Promise<boolean> => act((id) => rest.renameBook(id, { name }));

export async function discard(): Promise<void> {
  const gone = book.value;
  if (!gone) return;
  try {
    await rest.deleteBook(gone.book);
    await loadBooks();
    const restore = (): void => void added(rest.restoreBook(gone.book).then(() => gone));
    toast(t('book.deleted', { name: gone.name }), false, { words: t('undo'), act: restore });
  } catch (cause) {
    complain(cause);
  }
}

let serial = 0;

export function grow(positions: number, effort: 'quick' | 'normal' | 'deep'): void {
  if (!book.value) return;
  serial += 1;
  growth.value = { type: 'growth', serial, book: book.value.book, state: 'queued', done: 0, total: positions };
  const mine = serial;
  connection().begin({ type: 'book.grow', serial, book: book.value.book, ...here(), positions, effort }, (cause) => {
    if (serial === mine) growth.value = null;
    complain(cause);
  });
}

export function stopGrowing(): void {
  connection().send({ type: 'book.stop' });
}

export function isGrowing(): boolean {
  return growth.value?.state === 'queued' || growth.value?.state === 'running';
}

export function listenToGrowth(): () => void {
  const off = connection().on('growth', (message) => {
    if (message.serial !== serial) return;
    growth.value = message;
    if (message.state === 'done') announce(t('book.grown', { n: message.done }));
    void look();
  });
  // A connection that was lost has taken its search with it; what was found is in the book.
  const again = connection().onOpen(() => {
    if (isGrowing()) growth.value = null;
    void look();
  });
  return () => {
    off();
    again();
  };
}

/** Arrows for what the book would play. */
export function bookMarks(): Mark[] {
  if (!open.value) return [];
  const played = (page.value?.moves ?? []).filter(({ refused }) => !refused);
  return played.slice(0, 4).map(({ move }): Mark => ({ move, brush: 'book' }));
}
