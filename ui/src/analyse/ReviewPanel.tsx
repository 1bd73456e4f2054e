// Examining a whole game: how thoroughly, how far along, the curve, and the moves that cost most.

import type { Color, Mistake } from '../net/contract';
import { known, notated, say, t } from '../i18n';
import { colorName } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { Choice, Select } from '../parts/Choice';
import { percent } from '../parts/format';
import { Splitter } from '../parts/Splitter';
import { complain } from '../parts/toast';
import { preview } from './engine';
import { failureWords } from './EnginePanel';
import { Graph } from './Graph';
import { effort, review, reviewer, startReview, stopReview, type Effort } from './review';
import { hello } from '../hello';
import { addLine, current, goTo, line, study } from './state';

async function showBetter(mistake: Mistake): Promise<void> {
  const before = review.value.nodes[mistake.ply - 1];
  if (before === undefined) return;
  try {
    await addLine(before, mistake.better.pv);
    goTo(before);
    goTo(await addLine(before, mistake.better.pv.slice(0, 1)));
  } catch (cause) {
    complain(cause);
  }
}

function MistakeRow({ mistake }: { mistake: Mistake }) {
  const id = review.value.nodes[mistake.ply];
  const here = id !== undefined && id === current.value;
  return (
    <li class={`mistake-row ${mistake.grade}`} data-mistake={mistake.ply}>
      <button type="button" class="plain mistake-move" aria-current={here ? 'true' : undefined} onClick={() => id !== undefined && goTo(id)}>
        <span class="ply">{mistake.ply}</span>
        <span>{notated(mistake.played)}</span>
        <span class="grade">{known('grade', mistake.grade)} −{percent(mistake.loss)}</span>
      </button>
      <p class="mistake-reason" data-reason={mistake.reason.kind}>{say(mistake.reason.text)}{mistake.reason.proven && <span class="proven">{t('lesson.proven')}</span>}</p>
      <button type="button" class="plain better" onClick={() => void showBetter(mistake)} onMouseLeave={() => (preview.value = null)}>
        {t('review.better', { line: notated(mistake.better).slice(0, 5).join(' ') })}
      </button>
    </li>
  );
}

function Summary() {
  const { summary } = review.value;
  if (!summary) return null;
  const row = (color: Color) => {
    const side = summary[color];
    return (
      <tr>
        <th scope="row">{colorName(color, isHandicap(study.value.start))}</th>
        <td>{percent(side.loss, 1)}</td><td>{side.inaccuracies}</td><td>{side.mistakes}</td><td>{side.blunders}</td>
      </tr>
    );
  };
  return (
    <table class="summary">
      <thead><tr><th scope="col">{t('review.side')}</th><th scope="col">{t('review.loss')}</th><th scope="col">?!</th><th scope="col">?</th><th scope="col">??</th></tr></thead>
      <tbody>{row('black')}{row('white')}</tbody>
    </table>
  );
}

/** What opening and castles are called. */
function OpeningLine() {
  const { opening } = review.value;
  if (!opening) return null;
  const handicap = isHandicap(study.value.start);
  const side = (color: Color): string => `${colorName(color, handicap)}: ${say(opening[color].castle ?? opening[color].rook)}`;
  return <p data-opening={opening.id}><strong>{say(opening.name)}</strong> <span class="faint">{side('black')} · {side('white')}</span></p>;
}

const EFFORTS: Effort[] = ['quick', 'normal', 'deep'];

export function ReviewPanel() {
  const { state, done, total, mistakes, message, refused, by } = review.value;
  const able = (hello.value?.engines ?? []).filter((engine) => engine.variants.includes(study.value.variant));
  const busy = state === 'running' || state === 'queued';
  return (
    <section class="review" aria-label={t('review.title')} data-review={state}>
      <div class="row">
        <h2>{t('review.title')}</h2>
        {busy ? <button type="button" class="small" onClick={stopReview}>{t('review.stop')}</button>
          : <button type="button" class="small primary" disabled={line.value.length < 2} onClick={startReview} data-review-start>{state === 'done' ? t('review.again') : t('review.start')}</button>}
      </div>
      {!busy && (
        <>
          <Choice<Effort> label={t('review.effort')} hidden value={effort.value} onChange={(value) => (effort.value = value)} options={EFFORTS.map((name) => [name, known('effort', name)] as const)} />
          {able.length > 1 && <Select label={t('engine.which')} value={able.some(({ id }) => id === reviewer.value) ? reviewer.value : 'nue'} onChange={(id) => (reviewer.value = id)} options={able.map(({ id, name }) => [id, name] as const)} />}
        </>
      )}
      {by && state === 'done' && <p class="faint" data-review-by={by.effort}>{t('review.by', { engine: able.find(({ id }) => id === by.engine)?.name ?? by.engine, effort: known('effort', by.effort) })}</p>}
      {busy && (
        <div class="progress">
          <progress max={total} value={done} aria-label={t('review.title')} />
          <span class="faint">{done}/{total}</span>
        </div>
      )}
      {state === 'failed' && <p class="problem" data-review-problem>{refused === undefined ? `${t('engine.failed')} ${message ?? ''}` : failureWords(refused)}</p>}
      <Graph />
      {review.value.state !== 'idle' && <Splitter name="graph" axis="y" first={150} least={90} most={600} label={t('pane.graph')} />}
      <OpeningLine />
      <Summary />
      {state === 'done' && mistakes.length === 0 && <p class="faint">{t('review.clean')}</p>}
      {mistakes.length > 0 && <ol class="mistakes">{mistakes.map((mistake) => <MistakeRow key={mistake.ply} mistake={mistake} />)}</ol>}
    </section>
  );
}
