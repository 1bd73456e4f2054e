// What is known about the game: players, event, day. Every field can be changed; an empty one goes.

import { colorName } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { say, t } from '../i18n';
import { BLACK, HEADERS, USUAL, WHITE } from '../i18n/headers';
import { change, study } from './state';
import { headerOf, withHeader } from './tree';

function label(name: string): string {
  const handicap = isHandicap(study.value.start);
  if (name === BLACK) return colorName('black', handicap);
  if (name === WHITE) return colorName('white', handicap);
  const words = HEADERS[name];
  return words ? say(words) : name;
}

export function HeadersPanel() {
  const names = [...USUAL, ...study.value.headers.map(([name]) => name).filter((name) => !USUAL.includes(name))];
  return (
    <details class="rules headers" data-headers>
      <summary>{t('headers.title')}</summary>
      {names.map((name) => (
        <label key={name} class="header-field">
          <span>{label(name)}</span>
          <input
            type="text" maxLength={200} value={headerOf(study.value, name) ?? ''} data-header={name}
            onChange={(event) => change(withHeader(study.value, name, event.currentTarget.value.trim()))}
          />
        </label>
      ))}
    </details>
  );
}
