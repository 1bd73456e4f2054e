// Watching: a server's games and tables, matches between engines, learning generation by generation, a fleet, a cluster.

import { useEffect } from 'preact/hooks';
import './watch.css';
import { hello } from '../hello';
import { t, type Key } from '../i18n';
import type { WatchKind } from '../net/contract';
import { route, routeHash } from '../route';
import { ClusterView } from './ClusterView';
import { FleetView } from './FleetView';
import { LearnView } from './LearnView';
import { LiveScreen } from './LiveScreen';
import { MatchView } from './MatchView';
import { ServerView } from './ServerView';
import { pictures, watch } from './state';

const EXAMPLES: Record<WatchKind, string> = { server: 'server.db', match: 'games.csa', learn: 'lab', fleet: 'fleet', cluster: 'team.json' };
const PARTS: WatchKind[] = ['server', 'match', 'learn', 'fleet', 'cluster'];

function Shown({ what }: { what: WatchKind }) {
  useEffect(() => watch(what), [what]);
  const { server, match, learn, fleet, cluster } = pictures.value;
  if (what === 'server' && server) return <ServerView picture={server} />;
  if (what === 'match' && match) return <MatchView picture={match} />;
  if (what === 'learn' && learn) return <LearnView picture={learn} />;
  if (what === 'fleet' && fleet) return <FleetView picture={fleet} />;
  if (what === 'cluster' && cluster) return <ClusterView picture={cluster} />;
  return <p class="loading">{t('loading')}</p>;
}

/** Games on full boards, or everything there is to watch. */
export function WatchScreen() {
  const [part] = route.value.rest;
  return part === 'live' || part === 'big' ? <LiveScreen /> : <Overview />;
}

function Overview() {
  const there = hello.value?.watch;
  const named = route.value.rest[0] as WatchKind | undefined;
  const first = PARTS.find((part) => there?.[part]) ?? 'server';
  const what = named && PARTS.includes(named) ? named : first;
  return (
    <main class="watch">
      <h1 class="unseen">{t('nav.watch')}</h1>
      <nav class="tabs" aria-label={t('nav.watch')}>
        {PARTS.map((part) => <a key={part} href={routeHash('watch', part)} aria-current={part === what ? 'page' : undefined} data-watch={part}>{t(`watch.${part}` as Key)}</a>)}
      </nav>
      {there?.[what] ? <Shown what={what} /> : (
        <section class="card nothing">
          <h2>{t(`watch.${what}` as Key)}</h2>
          <p>{t(`watch.none.${what}` as Key)}</p>
          <pre>{`nue web --watch-${what} ${EXAMPLES[what]}`}</pre>
        </section>
      )}
    </main>
  );
}
