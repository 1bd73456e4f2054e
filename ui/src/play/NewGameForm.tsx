// Everything a new game needs, with the answers most people want already given.

import { useState } from 'preact/hooks';
import type { Style, Variant } from '../net/contract';
import { serverless } from '../net/transport';
import { colorName } from '../board/announce';
import { facts, hello } from '../hello';
import { known, say, t } from '../i18n';
import { Choice, Select } from '../parts/Choice';
import { evenHandicap, playsLike } from './handicaps';
import { games, start } from './state';
import { CLOCKS, keepChoices, loadChoices, MOST_MOVES, newGame, USUAL_MOVES, type ClockName, type From, type GameChoices } from './gameChoices';
import { isHandicap } from '../board/shogi';
import { keepName, ownName } from './friends';

type Change = (change: Partial<GameChoices>) => void;
interface PartProps { choices: GameChoices; change: Change; from?: From | undefined }

function Opponent({ choices, change }: PartProps) {
  const levels = hello.value?.levels ?? [];
  const level = levels.find(({ id }) => id === choices.level) ?? levels[0];
  const engines = (hello.value?.engines ?? []).filter((engine) => !engine.own && engine.variants.includes(choices.variant));
  return (
    <>
      <Choice
        label={t('new.opponent')} value={choices.against} onChange={(against) => change({ against, engine: engines[0]?.id ?? '' })}
        options={[['level', t('new.nue')], ...(engines.length ? [['engine', t('new.engine')] as const] : []), ['human', t('new.human')], ...(serverless ? [] : [['friend', t('new.friend')] as const])]}
      />
      {choices.against === 'level' && level && (
        <div class="level">
          <label class="field">
            <span>{t('new.level')} <strong>{level.id} · {say(level.name)}</strong></span>
            <input
              type="range" min={levels[0]?.id ?? 1} max={levels[levels.length - 1]?.id ?? 10} step={1} value={level.id}
              aria-valuetext={`${level.id}: ${say(level.name)}`} data-level disabled={choices.adaptive}
              onInput={(event) => change({ level: Number(event.currentTarget.value) })}
            />
          </label>
          <p class="level-text">{choices.adaptive ? t('new.adaptivetext') : say(level.text)}</p>
          <label class="tick"><input type="checkbox" checked={choices.adaptive} onChange={(event) => change({ adaptive: event.currentTarget.checked })} data-adaptive />{t('new.adaptive')}</label>
        </div>
      )}
      {choices.against === 'friend' && <FriendName />}
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

const STYLES: Style[] = ['any', 'static', 'ranging', 'attack', 'solid'];

/** How Nue likes to play, and how fast. */
function Manner({ choices, change }: PartProps) {
  if (choices.against !== 'level') return null;
  return (
    <>
      {choices.variant === 'shogi' && <Select<Style> label={t('new.style')} value={choices.style} onChange={(style) => change({ style })} options={STYLES.map((style) => [style, t(`style.${style}`)] as const)} />}
      <label class="tick"><input type="checkbox" checked={choices.natural} onChange={(event) => change({ natural: event.currentTarget.checked })} data-natural />{t('new.natural')}</label>
    </>
  );
}

function FriendName() {
  const [name, setName] = useState(ownName);
  return (
    <>
      <p class="level-text">{t('new.friendtext')}</p>
      <label class="field">
        <span>{t('new.name')}</span>
        <input type="text" maxLength={24} value={name} data-own-name onInput={(event) => {
          setName(event.currentTarget.value);
          keepName(event.currentTarget.value);
        }} />
      </label>
    </>
  );
}

/** How strong the level is altogether with the handicap, and which one the visitor's results ask for. */
function HandicapWorth({ choices, change }: PartProps) {
  const handicaps = hello.value?.handicaps ?? [];
  const levels = hello.value?.levels ?? [];
  const handicap = handicaps.find(({ id }) => id === choices.handicap);
  const strength = games.value?.strength ?? null;
  if (!handicap || choices.against !== 'level' || choices.variant !== 'shogi') return null;
  const gives = choices.side !== 'white';
  // Which side chance gives is not known yet, nor which level results will.
  const fixed = choices.side !== 'random' && !choices.adaptive;
  const like = fixed && handicap.id !== 'even' ? playsLike(handicap, choices.level, gives) : null;
  const highest = levels.length;
  const words = { level: choices.level, handicap: say(handicap.name), n: (like ?? choices.level).toFixed(1) };
  const even = strength === null || choices.adaptive ? null : evenHandicap(handicaps, choices.level, strength);
  const wanted = even && handicaps.find(({ id }) => id === even.id);
  const taken = even && even.id === choices.handicap && (even.id === 'even' || even.gives === (choices.side !== 'white'));
  return (
    <>
      {like !== null && (
        <p class="level-text" data-like={words.n}>
          {t(`like.${like < 1 ? 'below' : like > highest ? 'above' : gives ? 'gives' : 'receives'}`, words)}
        </p>
      )}
      {strength !== null && even && wanted && !taken && (
        <p class="level-text" data-even={even.id}>
          {t(`suits.${even.id === 'even' ? 'even' : even.gives ? 'gives' : 'receives'}`, { n: strength.toFixed(1), level: choices.level, handicap: say(wanted.name) })}{' '}
          <button type="button" class="plain" data-take-even onClick={() => change({ handicap: even.id, side: even.id === 'even' ? choices.side : even.gives ? 'black' : 'white' })}>{t('new.takeit')}</button>
        </p>
      )}
    </>
  );
}

function Handicap({ choices, change, from }: PartProps) {
  const handicaps = hello.value?.handicaps ?? [];
  const given = from ? isHandicap(from.start) : choices.variant === 'shogi' && choices.handicap !== 'even';
  return (
    <>
      {choices.variant === 'shogi' && !from && (
        <Select
          label={t('new.handicap')} value={choices.handicap} onChange={(handicap) => change({ handicap })}
          options={handicaps.map(({ id, name }) => [id, say(name)] as const)}
        />
      )}
      {choices.against !== 'human' && (
        <Choice
          label={t('new.side')} value={choices.side === 'watch' && choices.against !== 'friend' ? 'black' : choices.side} onChange={(side) => change({ side })}
          options={[['black', colorName('black', given)], ['random', t('new.random')], ['white', colorName('white', given)], ...(choices.against === 'friend' ? [['watch', t('new.watch')] as const] : [])]}
        />
      )}
      {given && <p class="level-text">{t('new.handicaptext')}</p>}
      {!from && <HandicapWorth choices={choices} change={change} />}
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

function Rules({ choices, change }: PartProps) {
  const rules = facts(choices.variant).declarations;
  // A move limit nobody asked for is not hidden from who looks for it: the part is open where one was chosen.
  const changed = choices.declaration !== 'auto' || choices.maxMoves !== USUAL_MOVES;
  return (
    <details class="rules" open={changed} data-rules>
      <summary>{t('new.rules')}</summary>
      {rules.length > 1 && (
        <Select
          label={t('new.declaration')} value={choices.declaration} onChange={(declaration) => change({ declaration })}
          options={['auto', ...rules].map((rule) => [rule, known('declaration', rule)] as const)}
        />
      )}
      <label class="field">
        <span>{t('new.limit', { n: MOST_MOVES })}</span>
        <input
          type="number" min={1} max={MOST_MOVES} value={choices.maxMoves} data-limit
          onChange={(event) => change({ maxMoves: Math.min(MOST_MOVES, Math.max(1, Math.floor(Number(event.currentTarget.value) || USUAL_MOVES))) })}
        />
      </label>
    </details>
  );
}

/** `from` is a position to begin from: then neither game nor handicap is asked for. */
export function NewGameForm({ started, from }: { started?: () => void; from?: From }) {
  const [choices, setChoices] = useState((): GameChoices => {
    const kept = loadChoices();
    return from ? { ...kept, variant: from.variant, ...(from.book && { against: 'level' as const }) } : kept;
  });
  const [busy, setBusy] = useState(false);
  const change: Change = (changed) => setChoices({ ...choices, ...changed });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    // A position's game is not the next visitor's choice.
    keepChoices(from ? { ...choices, variant: loadChoices().variant } : choices);
    await start(newGame(choices, from));
    setBusy(false);
    started?.();
  };
  const variants = hello.value?.variants ?? [];
  return (
    <form class="new-game" onSubmit={(event) => void submit(event)}>
      {from?.book && <p class="level-text" data-from-book>{t('new.frombook', { name: from.book.name })}</p>}
      {!from && (
        <Choice<Variant>
          label={t('new.game')} value={choices.variant} onChange={(variant) => change({ variant, against: 'level' })}
          options={variants.map(({ id, name, size }) => [id, `${say(name)} ${size}×${size}`] as const)}
        />
      )}
      <Opponent choices={choices} change={change} />
      <Handicap choices={choices} change={change} from={from} />
      <ClockChoice choices={choices} change={change} />
      <Manner choices={choices} change={change} />
      <Rules choices={choices} change={change} />
      <button type="submit" class="primary big" disabled={busy} data-start>{t('new.start')}</button>
    </form>
  );
}
