// Everything a new game needs, with the answers most people want already given.

import { useState } from 'preact/hooks';
import type { Variant } from '../net/contract';
import { hello } from '../hello';
import { say, t } from '../i18n';
import { Choice, Select } from '../parts/Choice';
import { start } from './state';
import { CLOCKS, keepWishes, loadWishes, newGame, type ClockName, type Wishes } from './wishes';

type Change = (change: Partial<Wishes>) => void;
interface PartProps { wishes: Wishes; change: Change }

function Opponent({ wishes, change }: PartProps) {
  const levels = hello.value?.levels ?? [];
  const level = levels.find(({ id }) => id === wishes.level) ?? levels[0];
  const engines = (hello.value?.engines ?? []).filter((engine) => !engine.own && engine.variants.includes(wishes.variant));
  return (
    <>
      <Choice
        label={t('new.opponent')} value={wishes.against} onChange={(against) => change({ against, engine: engines[0]?.id ?? '' })}
        options={[['level', t('new.nue')], ...(engines.length ? [['engine', t('new.engine')] as const] : []), ['human', t('new.human')]]}
      />
      {wishes.against === 'level' && level && (
        <div class="level">
          <label class="field">
            <span>{t('new.level')} <strong>{level.id} · {say(level.name)}</strong></span>
            <input
              type="range" min={levels[0]?.id ?? 1} max={levels[levels.length - 1]?.id ?? 10} step={1} value={level.id}
              aria-valuetext={`${level.id}: ${say(level.name)}`} data-level
              onInput={(event) => change({ level: Number(event.currentTarget.value) })}
            />
          </label>
          <p class="level-text">{say(level.text)}</p>
        </div>
      )}
      {wishes.against === 'engine' && (
        <>
          <Select label={t('new.engine')} value={wishes.engine} options={engines.map(({ id, name }) => [id, name] as const)} onChange={(engine) => change({ engine })} />
          <Select
            label={t('new.movetime')} value={String(wishes.movetime)} onChange={(value) => change({ movetime: Number(value) })}
            options={[200, 1000, 3000, 10000, 30000].map((ms) => [String(ms), `${ms / 1000} ${t('seconds')}`] as const)}
          />
        </>
      )}
      {wishes.against === 'human' && <p class="level-text">{t('new.humantext')}</p>}
    </>
  );
}

function Handicap({ wishes, change }: PartProps) {
  const handicaps = hello.value?.handicaps ?? [];
  return (
    <>
      {wishes.variant === 'shogi' && (
        <Select
          label={t('new.handicap')} value={wishes.handicap} onChange={(handicap) => change({ handicap })}
          options={handicaps.map(({ id, name }) => [id, say(name)] as const)}
        />
      )}
      {wishes.against !== 'human' && (
        <Choice
          label={t('new.side')} value={wishes.side} onChange={(side) => change({ side })}
          options={[['black', t('side.black')], ['random', t('new.random')], ['white', t('side.white')]]}
        />
      )}
      {wishes.variant === 'shogi' && wishes.handicap !== 'even' && <p class="level-text">{t('new.handicaptext')}</p>}
    </>
  );
}

function ClockChoice({ wishes, change }: PartProps) {
  const names = [...(Object.keys(CLOCKS) as ClockName[]), 'own' as const];
  const number = (key: 'main' | 'byoyomi' | 'increment', unit: number, highest: number) => (
    <label class="field">
      <span>{t(`clock.${key}`)}</span>
      <input
        type="number" min={0} max={highest} value={Math.round(wishes.own[key] / unit)}
        onInput={(event) => {
          const value = Math.min(highest, Math.max(0, Math.floor(Number(event.currentTarget.value) || 0)));
          change({ own: { ...wishes.own, [key]: value * unit } });
        }}
      />
    </label>
  );
  return (
    <>
      <Select label={t('new.clock')} value={wishes.clock} options={names.map((name) => [name, t(`clock.${name}`)] as const)} onChange={(clock) => change({ clock })} />
      {wishes.clock === 'own' && <div class="row">{number('main', 60, 1440)}{number('byoyomi', 1, 3600)}{number('increment', 1, 600)}</div>}
    </>
  );
}

export function NewGameForm({ started }: { started?: () => void }) {
  const [wishes, setWishes] = useState(loadWishes);
  const [busy, setBusy] = useState(false);
  const change: Change = (changed) => setWishes({ ...wishes, ...changed });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    keepWishes(wishes);
    await start(newGame(wishes));
    setBusy(false);
    started?.();
  };
  const variants = hello.value?.variants ?? [];
  return (
    <form class="new-game" onSubmit={(event) => void submit(event)}>
      <Choice<Variant>
        label={t('new.game')} value={wishes.variant} onChange={(variant) => change({ variant, against: 'level' })}
        options={variants.map(({ id, name, size }) => [id, `${say(name)} ${size}×${size}`] as const)}
      />
      <Opponent wishes={wishes} change={change} />
      <Handicap wishes={wishes} change={change} />
      <ClockChoice wishes={wishes} change={change} />
      <button type="submit" class="primary big" disabled={busy} data-start>{t('new.start')}</button>
    </form>
  );
}
