// Playing somebody at another browser: links for them and for those who look on, and what is asked and answered.

import type { Color, Game, OfferKind } from '../net/contract';
import { hello } from '../hello';
import { routeHash } from '../route';

const NAME = 'nue.name';

export function ownName(): string {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

export function keepName(name: string): void {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // Asked for again next time.
  }
}

const LOOPBACK = /^(localhost|127\.|\[::1\]|.*\.localhost$)/;

/** What a link for others begins with: the address this page was reached by, unless only this machine knows it. */
export function base(here: { origin: string; hostname: string }, reach: { origin: string | null; token: string | null }): string {
  const origin = LOOPBACK.test(here.hostname) && reach.origin ? reach.origin : here.origin;
  return `${origin}/${reach.token ? `?token=${encodeURIComponent(reach.token)}` : ''}`;
}

function address(hash: string): string {
  return base(location, hello.value?.reach ?? { origin: null, token: null }) + hash;
}

/** Whether a link works on other machines. */
export function reachable(): boolean {
  return !LOOPBACK.test(location.hostname) || !!hello.value?.reach.origin;
}

export const watchLink = (game: Game): string => address(routeHash('play', game.game));

/** The link that lets somebody play a side; null where somebody does, or the visitor may not invite. */
export function inviteLink(game: Game, color: Color): string | null {
  const key = game.friends?.[color].key;
  return key ? address(routeHash('play', game.game, 'join', key)) : null;
}

/** What the other side asks of the visitor. */
export function asked(game: Game): OfferKind | null {
  return game.may.reply ? (game.friends?.offer?.what ?? null) : null;
}
