// A CSA server: running games on small boards, standings, ratings, records.

import type { WatchServer } from '../net/contract';
import { t } from '../i18n';
import { momentText } from '../parts/format';
import { endName } from './ends';
import { routeHash } from '../route';
import { ofServer } from './live';
import { SmallGames } from './SmallGames';
import { pictureTime } from './state';

function Standings({ table }: { table: NonNullable<WatchServer['standings']>[number] }) {
  return (
    <section class="card">
      <h2>{t('watch.standings')}: {table.event} {table.round !== null && <small class="faint">{t('watch.round', { n: table.round })}</small>}</h2>
      <table>
        <thead><tr><th scope="col">#</th><th scope="col">{t('watch.name')}</th><th scope="col">{t('watch.points')}</th><th scope="col">+ = −</th><th scope="col">{t('watch.solkoff')}</th><th scope="col">{t('watch.berger')}</th></tr></thead>
        <tbody>{table.standings.map((row) => (
          <tr key={row.name}><td>{row.rank}</td><th scope="row">{row.name}</th><td>{row.points}</td><td>{row.wins} {row.draws} {row.losses}</td><td>{row.solkoff}</td><td>{row.berger}</td></tr>
        ))}</tbody>
      </table>
    </section>
  );
}

function Ratings({ rows }: { rows: NonNullable<WatchServer['ratings']> }) {
  return (
    <section class="card">
      <h2>{t('watch.ratings')}</h2>
      <table>
        <thead><tr><th scope="col">{t('watch.name')}</th><th scope="col">{t('watch.rating')}</th><th scope="col">+ = −</th></tr></thead>
        <tbody>{rows.map((row) => (
          <tr key={row.name}><th scope="row">{row.name}</th><td>{Math.round(row.rating)}{row.error !== null && <small class="faint"> ±{Math.round(row.error)}</small>}</td><td>{row.wins} {row.draws} {row.losses}</td></tr>
        ))}</tbody>
      </table>
    </section>
  );
}

/** Seconds since 1970, or words where the server has them. */
function when(moment: number | string): string {
  return typeof moment === 'number' ? momentText(moment * 1000) : moment;
}

function Records({ rows }: { rows: NonNullable<WatchServer['records']> }) {
  const side = (winner: 'black' | 'white' | null, me: 'black' | 'white'): string => (winner === me ? 'won' : '');
  return (
    <section class="card wide">
      <h2>{t('watch.records')}</h2>
      <table>
        <thead><tr><th scope="col">☗</th><th scope="col">☖</th><th scope="col">{t('watch.moves')}</th><th scope="col">{t('watch.end')}</th><th scope="col">{t('watch.ended')}</th></tr></thead>
        <tbody>{rows.map((row) => (
          <tr key={row.id}>
            <td class={side(row.winner, 'black')}>{row.black}</td><td class={side(row.winner, 'white')}>{row.white}</td><td>{row.moves ?? ''}</td>
            <td>{endName(row.reason)}</td><td><a href={routeHash('analyse', 'server', row.id)}>{when(row.ended)}</a></td>
          </tr>
        ))}</tbody>
      </table>
    </section>
  );
}

export function ServerView({ picture }: { picture: WatchServer }) {
  const { games, standings, ratings, records, status } = picture;
  return (
    <div class="cards">
      <p class="wide source">
        <span class={picture.live ? 'live' : 'faint'}>{picture.live ? t('watch.live') : t('watch.fromfile')}</span> {picture.source}
        {status && <span class="faint"> · {t('watch.running', { n: status.running })}{status.connections !== null ? ` · ${t('watch.connections', { n: status.connections })}` : ''}</span>}
      </p>
      {picture.error && <p class="problem wide">{picture.error}</p>}
      {games && games.length > 0 && <section class="card wide"><h2>{t('watch.games')}</h2><SmallGames games={games.map((game) => ofServer(game, pictureTime.value))} /></section>}
      {standings?.map((table) => <Standings key={`${table.event}-${table.stage}`} table={table} />)}
      {ratings && ratings.length > 0 && <Ratings rows={ratings} />}
      {records && records.length > 0 && <Records rows={records} />}
      {!games?.length && !standings?.length && !ratings?.length && !records?.length && <p class="card">{t('watch.quiet')}</p>}
    </div>
  );
}
