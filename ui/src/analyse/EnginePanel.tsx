// Engine lines as they come: score, win rate, depth, speed, and each line's moves to hover and click.

import type { Analysis, EngineLine } from '../net/contract';
import { hello } from '../hello';
import { notated, t } from '../i18n';
import { compact, endingText, percent, scoreText } from '../parts/format';
import { isHandicap } from '../board/shogi';
import { complain, refusalWords } from '../parts/toast';
import { addLine, current, goTo, study } from './state';
import { answers, comparing, engines, follow, multipv, preview, running, startSlot, stopSlot, threads, type Slot } from './engine';

async function playLine(line: EngineLine, count: number): Promise<void> {
  try {
    goTo(await addLine(current.value, line.pv.slice(0, count)));
  } catch (cause) {
    complain(cause);
  }
}

function Line({ line }: { line: EngineLine }) {
  const words = notated(line);
  const bound = line.bound === 'lower' ? '≥' : line.bound === 'upper' ? '≤' : '';
  return (
    <li class="engine-line" onMouseLeave={() => (preview.value = null)}>
      <span class={`score ${line.winrate >= 0.5 ? 'for-black' : 'for-white'}`}>{bound}{scoreText(line.score)}</span>
      <span class="line-rate">{percent(line.winrate)}</span>
      <span class="line-moves">
        {words.slice(0, 16).map((word, index) => (
          <button
            key={index} type="button" class="word" onMouseEnter={() => (preview.value = line.pv.slice(0, index + 1))}
            onFocus={() => (preview.value = line.pv.slice(0, index + 1))} onBlur={() => (preview.value = null)}
            onClick={() => void playLine(line, index + 1)}
          >{word}</button>
        ))}
      </span>
    </li>
  );
}

function stateText(answer: Analysis | undefined): string {
  if (!answer) return t('engine.starting');
  if (answer.state === 'queued') return t('engine.queued', { n: answer.ahead ?? 0 });
  if (answer.state === 'failed') return answer.message ?? '';
  if (answer.state === 'over') return answer.ending ? endingText(answer.ending, undefined, isHandicap(study.value.start)) : t('analyse.end');
  if (answer.state === 'running' && answer.depth === undefined) return t('engine.starting');
  const depth = t('engine.depth', { depth: answer.depth ?? 0, seldepth: answer.seldepth ?? answer.depth ?? 0 });
  const speed = t('engine.speed', { nodes: compact(answer.nodes), nps: compact(answer.nps) });
  return `${depth} · ${speed}${answer.state === 'done' ? ` · ${t('engine.done')}` : ''}`;
}

const SLOTS = ['a', 'b'] as const;

/** Of a position that stands on the board there is one thing an engine may not like: a king that is not there. */
export const failureWords = (code: string | null | undefined): string => (code === 'bad_position' ? t('engine.kings') : refusalWords(code ?? 'engine_failed'));

/** What a net is made of, which is said the same in every language. */
function netName(text: string | undefined): string | undefined {
  return /^net (.+) \((?:mini)?shogi\), shipped$/.exec(text ?? '')?.[1] ?? text;
}

function SlotView({ slot }: { slot: Slot }) {
  const on = running.value[slot];
  const answer = answers.value[slot];
  const choices = (hello.value?.engines ?? []).filter((engine) => engine.variants.includes(study.value.variant));
  const chosen = choices.find(({ id }) => id === engines.value[slot]);
  const about = netName(chosen?.evaluation?.[study.value.variant]);
  return (
    <div class="slot" data-slot={slot} data-state={on ? (answer?.state ?? 'starting') : 'off'} data-depth={on ? (answer?.depth ?? 0) : 0}>
      <div class="slot-head">
        <button
          type="button" class={on ? 'small primary' : 'small'} aria-pressed={on} data-engine={slot}
          onClick={() => (on ? stopSlot(slot) : startSlot(slot))}
        >{on ? t('engine.stop') : t('engine.start')}</button>
        {choices.length > 1 ? (
          <label class="small">
            <span class="unseen">{t('engine.which')}</span>
            <select
              value={engines.value[slot]}
              onChange={(event) => {
                engines.value = { ...engines.value, [slot]: event.currentTarget.value };
                follow();
              }}
            >{choices.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}</select>
          </label>
        ) : <strong>{chosen?.name ?? 'Nue'}</strong>}
        {!on && about && <span class="faint">{about}</span>}
        {on && <span class="faint state-text">{stateText(answer)}</span>}
      </div>
      {on && <ol class="engine-lines">{(answer?.lines ?? []).map((line) => <Line key={line.rank} line={line} />)}</ol>}
    </div>
  );
}

export function EnginePanel() {
  const limits = hello.value?.limits;
  const choices = (hello.value?.engines ?? []).filter((engine) => engine.variants.includes(study.value.variant));
  const several = choices.length > 1;
  const count = (label: string, value: number, highest: number, change: (n: number) => void) => (
    <label class="small inline">
      <span>{label}</span>
      <select value={value} onChange={(event) => change(Number(event.currentTarget.value))}>
        {Array.from({ length: highest }, (_, index) => <option key={index} value={index + 1}>{index + 1}</option>)}
      </select>
    </label>
  );
  return (
    <section class="engine" aria-label={t('engine.label')}>
      <SlotView slot="a" />
      {several && comparing.value && <SlotView slot="b" />}
      <div class="row small-row">
        {count(t('engine.lines'), multipv.value, limits?.multipv ?? 5, (n) => { multipv.value = n; follow(); })}
        {count(t('engine.threads'), threads.value, limits?.threads ?? 1, (n) => { threads.value = n; follow(); })}
        {several && (
          <button
            type="button" class="small" aria-pressed={comparing.value} data-compare
            onClick={() => {
              comparing.value = !comparing.value;
              if (comparing.value) {
                const other = choices.find(({ id }) => id !== engines.value.a)?.id ?? engines.value.a;
                engines.value = { ...engines.value, b: other };
                startSlot('b');
              } else if (running.value.b) stopSlot('b');
            }}
          >{t('engine.compare')}</button>
        )}
        {SLOTS.map((slot) => running.value[slot] && answers.value[slot]?.state === 'failed' && <span key={slot} class="problem" data-engine-problem={slot}>{failureWords(answers.value[slot]?.code)}</span>)}
      </div>
    </section>
  );
}
