// Where the visitor is, from the part of the address after the #. The server sees none of it.

import { signal } from '@preact/signals';

export interface Route { screen: 'play' | 'analyse' | 'practise' | 'watch'; rest: string[] }

export function parseRoute(hash: string): Route {
  const [screen, ...rest] = hash.replace(/^#\/?/, '').split('/').filter((part) => part !== '').map(decode);
  const known = screen === 'analyse' || screen === 'practise' || screen === 'watch' ? screen : 'play';
  return { screen: known, rest };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function routeHash(screen: Route['screen'], ...rest: string[]): string {
  return `#/${[screen, ...rest.map(encodeURIComponent)].join('/')}`;
}

export const route = signal<Route>(parseRoute(typeof location === 'undefined' ? '' : location.hash));

export function listenToRoute(): void {
  window.addEventListener('hashchange', () => {
    route.value = parseRoute(location.hash);
    // Another place is seen from its top: on a phone a new game begins with its board in sight.
    window.scrollTo(0, 0);
  });
}

/** Goes somewhere; `silently` leaves no step to come back to. */
export function go(hash: string, silently = false): void {
  if (silently) {
    history.replaceState(null, '', hash);
    route.value = parseRoute(hash);
  } else {
    location.hash = hash;
  }
}
