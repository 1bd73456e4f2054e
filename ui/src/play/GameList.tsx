// The visitor's games, running ones first; any of them goes on or is looked at again.

import { useEffect } from 'preact/hooks';
import type { GameSummary } from '../net/contract';
import { gameName } from '../hello';
import { say, t } from '../i18n';
import { endingText, momentText } from '../parts/format';
import { routeHash } from '../route';
import { forget, games, loadGames } from './state';

function Entry({ summary }: { summary: GameSummary }) {
  const running = summary.status === 'playing';
  const opponent = summary.opponent.name ? say(summary.opponent.name) : '';
  return (
    <li class={running ? 'running' : ''}>
      <a href={routeHash('play', summary.game)}>
        <strong>{opponent}</strong>
        <span>{gameName(summary.variant, summary.handicap)} · {t('play.plies', { n: summary.plies })}</span>
        <span class="faint">{summary.ending ? endingText(summary.ending, summary.you, summary.handicap !== null && summary.handicap !== 'even') : t('play.goeson')} · {momentText(summary.updated)}</span>
      </a>
      <button type="button" class="plain" aria-label={t('play.forget')} title={t('play.forget')} onClick={() => void forget(summary.game)}>✕</button>
    </li>
  );
}

export function GameList() {
  useEffect(() => void loadGames(), []);
  const list = [...games.value].sort((a, b) => Number(b.status === 'playing') - Number(a.status === 'playing') || b.updated - a.updated);
  if (list.length === 0) return null;
  return (
    <section>
      <h2>{t('play.yours')}</h2>
      <ul class="game-list">{list.slice(0, 30).map((summary) => <Entry key={summary.game} summary={summary} />)}</ul>
    </section>
  );
}
