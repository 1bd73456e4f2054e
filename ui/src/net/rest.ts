// What is asked once, over plain requests. Answers are values or a Refusal that carries the code.

import type { BookEdit, BookFacts, BookPage, Books, Game, Games, Hello, NewBook, NewStudy, OwnOpenings, Place, SentTree, Studies, Study, StudyChange, StudySummary, Tree, Trees, TsumeAnswer, TsumeAttempt, TsumeNext, Variant } from './contract';
import { transport } from './transport';

/** The server said no; `code` is one of the contract's, `network` where it could not be reached. */
export class Refusal extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await transport.ask(path, init);
  } catch (cause) {
    throw new Refusal('network', String(cause));
  }
  if (response.ok) return response;
  const body = (await response.json().catch(() => null)) as { error?: { code: string; message: string } } | null;
  throw new Refusal(body?.error?.code ?? 'internal', body?.error?.message ?? response.statusText);
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await ask(path, init)).json()) as T;
}

function post(body: unknown): RequestInit & { body: string } {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

const part = encodeURIComponent;

/** What browsers still send from a page that is being left. */
const LASTING = 60000;

export type Query = Record<string, string | number | boolean | undefined>;

/** What is asked for, without what is not said. */
export function search(query: Query): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return said.length ? `?${said.map(([name, value]) => `${name}=${part(String(value))}`).join('&')}` : '';
}

/** A record as it is sent: what the server works out itself is left out. */
export function sent({ handicap: _, black, white, nodes, ...tree }: Tree): SentTree {
  return {
    ...tree, ...(black && { black }), ...(white && { white }),
    nodes: nodes.map(({ ja: _ja, en: _en, sfen: _sfen, check: _check, ...node }) => node),
  };
}

export const rest = {
  hello: () => json<Hello>('hello'),
  games: (query: Query = {}) => json<Games>(`games${search(query)}`),
  game: (id: string) => json<Game>(`games/${part(id)}`),
  deleteGame: (id: string) => ask(`games/${part(id)}`, { method: 'DELETE' }),
  restoreGame: (id: string) => ask(`games/${part(id)}/restore`, post({})),
  studies: (query: Query = {}) => json<Studies>(`studies${search(query)}`),
  study: (id: string) => json<Study>(`studies/${part(id)}`),
  addStudy: (study: NewStudy) => json<Study>('studies', post(study)),
  /** `lasting`: also when the page is being left, where it is small enough for that. */
  changeStudy: (id: string, change: StudyChange, lasting = false) => {
    const init = { ...post(change), method: 'PUT' };
    return json<StudySummary>(`studies/${part(id)}`, lasting && init.body.length < LASTING ? { ...init, keepalive: true } : init);
  },
  deleteStudy: (id: string) => ask(`studies/${part(id)}`, { method: 'DELETE' }),
  restoreStudy: (id: string) => ask(`studies/${part(id)}/restore`, post({})),
  renameFolder: (from: string, to: string) => ask('studies/folder', post({ from, to })),
  books: () => json<Books>('books'),
  newBook: (asked: NewBook) => json<BookFacts>('books', post(asked)),
  readBook: (name: string, variant: Variant, body: BodyInit) => json<BookFacts>(`books/read${search({ name, variant })}`, { method: 'POST', body }),
  renameBook: (id: string, asked: NewBook) => json<BookFacts>(`books/${part(id)}`, { ...post(asked), method: 'PUT' }),
  deleteBook: (id: string) => ask(`books/${part(id)}`, { method: 'DELETE' }),
  restoreBook: (id: string) => ask(`books/${part(id)}/restore`, post({})),
  lookAtBook: (id: string, place: Place) => json<BookPage>(`books/${part(id)}/look`, post(place)),
  editBook: (id: string, edit: BookEdit) => json<BookFacts>(`books/${part(id)}/edit`, post(edit)),
  travelBook: (id: string, way: 'undo' | 'redo') => json<BookFacts>(`books/${part(id)}/${way}`, post({})),
  bookFile: async (id: string, format: string) => (await ask(`books/${part(id)}/file?format=${format}`)).blob(),
  openings: () => json<OwnOpenings>('openings'),
  tsume: () => json<TsumeNext>('tsume'),
  tryTsume: (id: string, attempt: TsumeAttempt) => json<TsumeAnswer>(`tsume/${part(id)}`, post(attempt)),
  gameTree: (id: string) => json<Tree>(`games/${part(id)}/tree`),
  serverTree: (id: string) => json<Tree>(`watch/server/records/${part(id)}`),
  matchTree: (match: string, game: string) => json<Tree>(`watch/match/${part(match)}/games/${part(game)}`),
  check: (variant: Variant, sfen: string, purpose: 'game' | 'mate') =>
    json<{ ok: true; sfen: string } | { ok: false; reasons: string[] }>('position/check', post({ variant, sfen, purpose })),
  read: (variant: Variant, body: BodyInit, name?: string) =>
    json<Trees>(`record/read?variant=${variant}${name ? `&name=${part(name)}` : ''}`, { method: 'POST', body }),
  write: async (format: string, encoding: string, tree: Tree) => {
    const response = await ask('record/write', post({ format, encoding, tree }));
    return { blob: await response.blob(), losses: response.headers.get('Nue-Losses') ?? '' };
  },
  record: async (id: string, format: string) => (await ask(`games/${part(id)}/record?format=${format}&encoding=utf-8`)).blob(),
};
