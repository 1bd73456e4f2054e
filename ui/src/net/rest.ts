// What is asked once, over plain requests. Answers are values or a Refusal that carries the code.

import type { Game, GameSummary, Hello, Tree, Trees, Variant } from './contract';

/** The server said no; `code` is one of the contract's, `network` where it could not be reached. */
export class Refusal extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`./api/${path}`, init);
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

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

const part = encodeURIComponent;

export const rest = {
  hello: () => json<Hello>('hello'),
  games: () => json<{ games: GameSummary[] }>('games'),
  game: (id: string) => json<Game>(`games/${part(id)}`),
  forget: (id: string) => ask(`games/${part(id)}`, { method: 'DELETE' }),
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
