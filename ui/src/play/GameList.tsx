// The visitor's games, running ones first, page by page; any of them goes on or is looked at again. What is
// deleted can be taken back.

import { useEffect } from 'preact/hooks';
import type { GameSummary } from '../net/contract';
import { gameName } from '../hello';
import { say, t } from '../i18n';
import { endingText, momentText } from '../parts/format';
import { Pager } from '../parts/Pager';
import { OpeningList } from './OpeningList';
import { routeHash } from '../route';
import { deleteGame, games, GAMES_ON_A_PAGE, gamesPage, loadGames, restoreGame } from './state';

function Words({ summary }: { summary: GameSummary }) {
  return (
    <>
      <strong>{summary.opponent.name ? say(summary.opponent.name) : ''}</strong>
      <span>{gameName(summary.variant, summary.handicap)} · {t('play.plies', { n: summary.plies })}</span>
      <span class="faint">{summary.ending ? endingText(summary.ending, summary.you, summary.handicap !== null && summary.handicap !== 'even') : t('play.goeson')} · {momentText(summary.updated)}</span>
    </>
  );
}

function Entry({ summary, deleted }: { summary: GameSummary; deleted: boolean }) {
  if (deleted) {
    return (
      <li>
        <div class="gone"><Words summary={summary} /></div>
        <button type="button" class="small" onClick={() => void restoreGame(summary.game)} data-restore={summary.game}>{t('bin.restore')}</button>
      </li>
    );
  }
  return (
    <li class={summary.status === 'playing' ? 'running' : ''} data-listed={summary.game}>
      <a href={routeHash('play', summary.game)}><Words summary={summary} /></a>
      {summary.owned && <button type="button" class="plain" aria-label={t('play.forget')} title={t('play.forget')} onClick={() => void deleteGame(summary.game)} data-delete-game>✕</button>}
    </li>
  );
}

export function GameList() {
  const { offset, deleted } = gamesPage.value;
  useEffect(() => void loadGames(), [offset, deleted]);
  const page = games.value;
  if (!page || (page.total === 0 && page.deleted === 0)) return null;
  return (
    <section data-games={page.total}>
      <h2>{deleted ? t('bin.games') : t('play.yours')}</h2>
      <ul class="game-list">{page.games.map((summary) => <Entry key={summary.game} summary={summary} deleted={deleted} />)}</ul>
      <Pager offset={offset} size={GAMES_ON_A_PAGE} total={page.total} go={(next) => (gamesPage.value = { offset: next, deleted })} />
      {!deleted && <OpeningList />}
      {deleted ? <button type="button" class="plain" onClick={() => (gamesPage.value = { offset: 0, deleted: false })} data-bin="off">{t('bin.leave')}</button>
        : page.deleted > 0 && <button type="button" class="plain faint" onClick={() => (gamesPage.value = { offset: 0, deleted: true })} data-bin="on">{t('bin.look', { n: page.deleted })}</button>}
    </section>
  );
}
