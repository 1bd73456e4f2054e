// The visitor's games by opening: how often, with what result, and the games themselves.

import { useState } from 'preact/hooks';
import type { OwnOpenings } from '../net/contract';
import { say, t } from '../i18n';
import { rest } from '../net/rest';
import { complain } from '../parts/toast';
import { routeHash } from '../route';

export function OpeningList() {
  const [known, setKnown] = useState<OwnOpenings | null>(null);
  const load = (event: Event): void => {
    if (!(event.currentTarget as HTMLDetailsElement).open) return;
    rest.openings().then(setKnown, complain);
  };
  return (
    <details class="rules" onToggle={load} data-openings={known?.openings.length ?? ''}>
      <summary>{t('openings.title')}</summary>
      {known?.openings.length === 0 && <p class="faint">{t('openings.none')}</p>}
      <ul class="opening-list">
        {(known?.openings ?? []).map(({ id, name, won, lost, other, games }) => (
          <li key={id} data-opening={id}>
            <details>
              <summary><strong>{say(name)}</strong> <span class="faint">{t('openings.result', { n: games.length, won, lost, other })}</span></summary>
              <p class="opening-games">{games.slice(0, 30).map((game, index) => <a key={game} href={routeHash('analyse', 'game', game)}>{t('openings.game', { n: games.length - index })}</a>)}</p>
            </details>
          </li>
        ))}
      </ul>
    </details>
  );
}
