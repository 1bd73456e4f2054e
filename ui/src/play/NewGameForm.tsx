// Everything a new game needs, with the answers most people want already given.

import { useState } from 'preact/hooks';
import type { Variant } from '../net/contract';
import { colorName } from '../board/announce';
import { hello } from '../hello';
import { say, t } from '../i18n';
import { Choice, Select } from '../parts/Choice';
import { start } from './state';
import { CLOCKS, keepChoices, loadChoices, newGame, type ClockName, type GameChoices } from './gameChoices';

type Change = (change: Partial<GameChoices>) => void;
interface PartProps { choices: GameChoices; change: Change }

function Opponent({ choices, change }: PartProps) {
  const levels = hello.value?.levels ?? [];
  const level = levels.find(({ id }) => id === choices.level) ?? levels[0];
  const engines = (hello.value?.engines ?? []).filter((engine) => !engine.own && engine.variants.includes(choices.variant));
  return (
    <>
      <Choice
        label={t('new.opponent')} value={choices.against} onChange={(against) => change({ against, engine: engines[0]?.id ?? '' })}
        options={[['level', t('new.nue')], ...(engines.length ? [['engine', t('new.engine')] as const] : []), ['human', t('new.human')]]}
      />
      {choices.against === 'level' && level && (
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
      {choices.against === 'engine' && (
        <>
          <Select label={t('new.engine')} value={choices.engine} options={engines.map(({ id, name }) => [id, name] as const)} onChange={(engine) => change({ engine })} />
          <Select
            label={t('new.movetime')} value={String(choices.movetime)} onChange={(value) => change({ movetime: Number(value) })}
            options={[200, 1000, 3000, 10000, 30000].map((ms) => [String(ms), `${ms / 1000} ${t('seconds')}`] as const)}
          />
        </>
      )}
      {choices.against === 'human' && <p class="level-text">{t('new.humantext')}</p>}
    </>
  );
}

function Handicap({ choices, change }: PartProps) {
  const handicaps = hello.value?.handicaps ?? [];
  const given = choices.variant === 'shogi' && choices.handicap !== 'even';
  return (
    <>
      {choices.variant === 'shogi' && (
        <Select
          label={t('new.handicap')} value={choices.handicap} onChange={(handicap) => change({ handicap })}
          options={handicaps.map(({ id, name }) => [id, say(name)] as const)}
        />
      )}
      {choices.against !== 'human' && (
        <Choice
          label={t('new.side')} value={choices.side} onChange={(side) => change({ side })}
          options={[['black', colorName('black', given)], ['random', t('new.random')], ['white', colorName('white', given)]]}
        />
      )}
      {given && <p class="level-text">{t('new.handicaptext')}</p>}
    </>
  );
}

function ClockChoice({ choices, change }: PartProps) {
  const names = [...(Object.keys(CLOCKS) as ClockName[]), 'own' as const];
  const number = (key: 'main' | 'byoyomi' | 'increment', unit: number, highest: number) => (
    <label class="field">
      <span>{t(`clock.${key}`)}</span>
      <input
        type="number" min={0} max={highest} value={Math.round(choices.own[key] / unit)}
        onInput={(event) => {
          const value = Math.min(highest, Math.max(0, Math.floor(Number(event.currentTarget.value) || 0)));
          change({ own: { ...choices.own, [key]: value * unit } });
        }}
      />
    </label>
  );
  return (
    <>
      <Select label={t('new.clock')} value={choices.clock} options={names.map((name) => [name, t(`clock.${name}`)] as const)} onChange={(clock) => change({ clock })} />
      {choices.clock === 'own' && <div class="row">{number('main', 60, 1440)}{number('byoyomi', 1, 3600)}{number('increment', 1, 600)}</div>}
    </>
  );
}

export function NewGameForm({ started }: { started?: () => void }) {
  const [choices, setChoices] = useState(loadChoices);
  const [busy, setBusy] = useState(false);
  const change: Change = (changed) => setChoices({ ...choices, ...changed });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    keepChoices(choices);
    await start(newGame(choices));
    setBusy(false);
    started?.();
  };
  const variants = hello.value?.variants ?? [];
  return (
    <form class="new-game" onSubmit={(event) => void submit(event)}>
      <Choice<Variant>
        label={t('new.game')} value={choices.variant} onChange={(variant) => change({ variant, against: 'level' })}
        options={variants.map(({ id, name, size }) => [id, `${say(name)} ${size}×${size}`] as const)}
      />
      <Opponent choices={choices} change={change} />
      <Handicap choices={choices} change={change} />
      <ClockChoice choices={choices} change={change} />
      <button type="submit" class="primary big" disabled={busy} data-start>{t('new.start')}</button>
    </form>
  );
}
