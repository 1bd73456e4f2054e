// Learning: Elo by generation with its error, losses as they fall, what each generation cost.

import type { Lab, WatchLearn } from '../net/contract';
import { known, t } from '../i18n';
import { compact, spentText } from '../parts/format';
import { Chart } from './Chart';
import type { ChartData } from './chart';
import { eloText } from './elo';

function eloChart(lab: Lab): ChartData {
  let total = 0;
  const rows = lab.generations.map((generation) => {
    const [low, mid, high] = generation.elo ?? [null, null, null];
    const middle = generation.total ?? total + (mid ?? 0);
    if (generation.accepted) total = middle;
    const spread = mid === null || low === null || high === null ? null : ([middle - (mid - low), middle + (high - mid)] as const);
    return { x: generation.generation ?? 0, middle, low: spread?.[0] ?? null, high: spread?.[1] ?? null };
  });
  return {
    x: rows.map(({ x }) => x), xName: t('learn.generation'), whole: true,
    curves: [{ name: t('learn.elo'), values: rows.map(({ middle }) => middle), low: rows.map(({ low }) => low), high: rows.map(({ high }) => high), points: true }],
  };
}

function lossChart(lab: Lab): ChartData | null {
  const last = lab.losses[lab.losses.length - 1];
  if (!last || last.points.length < 2) return null;
  return {
    x: last.points.map(({ epoch }) => epoch ?? 0), xName: t('learn.epoch'),
    curves: [
      { name: t('learn.train'), values: last.points.map(({ train }) => train), dashed: true },
      { name: t('learn.validation'), values: last.points.map(({ validation }) => validation) },
    ],
  };
}

function LabCard({ lab }: { lab: Lab }) {
  const losses = lossChart(lab);
  return (
    <section class="card wide">
      <h2>{lab.name} <small class="faint">{lab.game}{lab.current !== null ? ` · ${t('learn.current', { n: lab.current })}` : ''}</small></h2>
      {lab.error && <p class="problem">{lab.error}</p>}
      <div class="charts">
        {lab.generations.length > 0 && <figure><figcaption>{t('learn.elo')}</figcaption><Chart label={t('learn.elo')} data={eloChart(lab)} /></figure>}
        {losses && <figure><figcaption>{t('learn.losses', { n: lab.losses[lab.losses.length - 1]?.generation ?? 0 })}</figcaption><Chart label={t('learn.loss')} data={losses} /></figure>}
      </div>
      <table>
        <thead><tr><th scope="col">{t('learn.generation')}</th><th scope="col">{t('learn.verdict')}</th><th scope="col">Elo [95 %]</th><th scope="col">+ = −</th><th scope="col">{t('learn.positions')}</th><th scope="col">{t('learn.loss')}</th><th scope="col">{t('learn.time')}</th></tr></thead>
        <tbody>{lab.generations.map((row) => (
          <tr key={row.generation}>
            <th scope="row">{row.generation}</th><td class={row.accepted ? 'won' : 'faint'}>{row.accepted ? t('learn.accepted') : t('learn.refused')}</td>
            <td>{eloText(row.elo)}</td><td>{row.wins} {row.draws} {row.losses}</td><td>{compact(row.positions)}</td><td>{row.loss?.toFixed(4) ?? '–'}</td>
            <td>{row.seconds === null ? '–' : spentText(row.seconds * 1000)}</td>
          </tr>
        ))}</tbody>
      </table>
      {lab.steps.length > 0 && <p class="faint">{lab.steps.map(({ generation, step, seconds }) => `${generation}: ${known('learn.step', step)} ${spentText((seconds ?? 0) * 1000)}`).join(' · ')}</p>}
    </section>
  );
}

export function LearnView({ picture }: { picture: WatchLearn }) {
  if (picture.labs.length === 0) return <p class="card">{t('watch.quiet')}</p>;
  return <div class="cards">{picture.labs.map((lab, index) => <LabCard key={index} lab={lab} />)}</div>;
}
