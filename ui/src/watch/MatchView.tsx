// Matches between engines: the score with its error, how it came about, the last games.

import type { Match, WatchMatch } from '../net/contract';
import { t } from '../i18n';
import { eloText } from './elo';
import { endName } from './ends';
import { percent } from '../parts/format';
import { ofMatch } from './live';
import { SmallGames } from './SmallGames';
import { routeHash } from '../route';
import { Chart } from './Chart';

function MatchCard({ match }: { match: Match }) {
  const pairing = match.pairings[0];
  return (
    <section class="card wide match">
      <h2>{match.name} {match.live && <span class="live">{t('watch.live')}</span>}</h2>
      {match.error && <p class="problem">{match.error}</p>}
      <p class="faint">{match.planned ? t('watch.ofgames', { n: match.games, planned: match.planned }) : t('watch.ngames', { n: match.games })}</p>
      {match.planned && <progress max={match.planned} value={match.games} aria-label={t('watch.games')} />}
      {match.running.length > 0 && <SmallGames games={match.running.map((game) => ofMatch(match.name, game))} />}
      <table>
        <thead><tr><th scope="col">{t('watch.pairing')}</th><th scope="col">+ = −</th><th scope="col">Elo [95 %]</th><th scope="col">{t('watch.los')}</th></tr></thead>
        <tbody>{match.pairings.map((row) => (
          <tr key={row.engines.join()}><th scope="row">{row.engines.join(' – ')}</th><td>{row.wins} {row.draws} {row.losses}</td><td>{eloText(row.elo)}</td><td>{row.los === null ? '–' : percent(row.los, 1)}</td></tr>
        ))}</tbody>
      </table>
      {pairing && match.curve.length > 1 && (
        <Chart
          label={t('watch.curve')}
          data={{ x: match.curve.map(({ game }) => game), xName: t('watch.game'), whole: true, curves: [{ name: `${pairing.engines[0]} (${t('watch.score')} %)`, values: match.curve.map(({ game, points }) => (100 * points) / game) }] }}
        />
      )}
      {match.latest.length > 0 && (
        <table>
          <thead><tr><th scope="col">{t('watch.game')}</th><th scope="col">☗</th><th scope="col">☖</th><th scope="col">{t('watch.moves')}</th><th scope="col">{t('watch.end')}</th></tr></thead>
          <tbody>{match.latest.slice(0, 20).map((row) => (
            <tr key={row.game}>
              <td><a href={routeHash('analyse', 'match', match.name, String(row.game))}>{row.game + 1}</a></td>
              <td class={row.winner === 'black' ? 'won' : ''}>{row.players[0]}</td><td class={row.winner === 'white' ? 'won' : ''}>{row.players[1]}</td>
              <td>{row.plies}</td><td>{endName(row.end)}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </section>
  );
}

export function MatchView({ picture }: { picture: WatchMatch }) {
  if (picture.matches.length === 0) return <p class="card">{t('watch.quiet')}</p>;
  return <div class="cards">{picture.matches.map((match, index) => <MatchCard key={index} match={match} />)}</div>;
}
