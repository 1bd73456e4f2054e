// A fleet: its runs with what came of them, curves of SPRT and SPSA, its workers and what went wrong.

import { known, t } from '../i18n';
import type { FleetFault, FleetRun, FleetTuning, FleetWorker, WatchFleet } from '../net/contract';
import { compact, momentText } from '../parts/format';
import { route, routeHash } from '../route';
import { Chart } from './Chart';
import type { ChartData } from './chart';
import { eloText } from './elo';
import { furthest, moved, pace, resultParts } from './fleet';
import { Heads, Scrolled } from './tables';

/** Runs shown whole where none is named. */
const WHOLE = 4;

function Done({ run }: { run: FleetRun }) {
  if (run.total === null) return <>{run.done}</>;
  return <>{run.done}/{run.total} <progress max={Math.max(1, run.total)} value={run.done} aria-label={`${run.id}: ${t('fleet.done')}`} /></>;
}

function Runs({ picture }: { picture: WatchFleet }) {
  return (
    <section class="card wide">
      <h2>{t('fleet.runs')}</h2>
      {picture.runs.length === 0 ? <p class="faint">{t('watch.quiet')}</p> : (
        <Scrolled label={t('fleet.runs')}>
          <table data-fleet="runs">
            <Heads names={[t('fleet.run'), t('watch.name'), t('fleet.state'), t('fleet.done'), t('fleet.aminute'), t('fleet.faults'), t('fleet.kind'), t('fleet.result')]} />
            <tbody>{picture.runs.map((run) => (
              <tr key={run.id}>
                <th scope="row"><a href={routeHash('watch', 'fleet', run.id)} data-run={run.id}>{run.id}</a></th><td>{run.name}</td>
                <td class={run.state === 'active' ? 'live' : 'faint'}>{known('fleet.state', run.state)}</td><td><Done run={run} /></td><td>{pace(run.games_a_minute)}</td>
                <td class={run.faults > 0 ? 'problem' : ''}>{run.faults}</td><td>{known('fleet.kind', run.kind)}</td><td>{resultParts(run).join(' · ')}</td>
              </tr>
            ))}</tbody>
          </table>
        </Scrolled>
      )}
      {picture.earlier > 0 && <p class="faint">{t('fleet.earlier', { n: picture.earlier })}</p>}
    </section>
  );
}

function sprtChart(sprt: NonNullable<NonNullable<FleetRun['score']>['sprt']>): ChartData {
  const flat = (value: number): number[] => sprt.curve.map(() => value);
  return {
    x: sprt.curve.map(({ games }) => games), xName: t('fleet.games'), whole: true,
    curves: [
      { name: t('fleet.llr'), values: sprt.curve.map(({ ratio }) => ratio) },
      { name: t('fleet.accepted'), values: flat(sprt.high), dashed: true },
      { name: t('fleet.rejected'), values: flat(sprt.low), dashed: true },
    ],
  };
}

function tuningChart(tuning: FleetTuning): ChartData {
  return {
    x: tuning.curve.map(({ iteration }) => iteration), xName: t('fleet.iteration'), whole: true,
    curves: furthest(tuning).map((index) => ({
      name: tuning.numbers[index]?.name ?? '',
      values: tuning.curve.map(({ values }) => moved(tuning.numbers[index]?.start ?? 0, values[index])),
    })),
  };
}

function Score({ score }: { score: NonNullable<FleetRun['score']> }) {
  const { sprt } = score;
  return (
    <>
      {sprt && <p>{t('fleet.sprt', { test: sprt.test, verdict: sprt.verdict })} <span class="faint">LLR {sprt.ratio.toFixed(2)} ({sprt.low.toFixed(2)} – {sprt.high.toFixed(2)})</span></p>}
      <div class="charts">
        {sprt && sprt.curve.length > 1 && <figure data-curve="sprt"><figcaption>SPRT</figcaption><Chart label={t('fleet.llr')} data={sprtChart(sprt)} /></figure>}
        {score.engines.length > 0 && (
          <table>
            <Heads names={[t('fleet.engine'), '+ = −', t('fleet.faults')]} />
            <tbody>{score.engines.map((engine) => (
              <tr key={engine.name}><th scope="row">{engine.name}</th><td>{engine.wins} {engine.draws} {engine.losses}</td><td>{engine.faults.map(({ what, count }) => `${what} ${count}`).join(', ')}</td></tr>
            ))}</tbody>
          </table>
        )}
      </div>
      <p class="faint">{t('fleet.pairs', { pairs: score.pairs.join(' ') })}{score.elo ? ` · Elo ${eloText(score.elo)}` : ''}</p>
    </>
  );
}

function Tuning({ tuning }: { tuning: FleetTuning }) {
  return (
    <>
      <p class="faint">{t('fleet.iterations', { n: tuning.iteration, total: tuning.iterations })}</p>
      <div class="charts">
        {tuning.curve.length > 1 && <figure data-curve="spsa"><figcaption>{t('fleet.moved')}</figcaption><Chart label={t('fleet.moved')} data={tuningChart(tuning)} /></figure>}
        <table>
          <Heads names={[t('fleet.number'), t('fleet.start'), t('fleet.value')]} />
          <tbody>{tuning.numbers.map(({ name, start, value }) => <tr key={name}><th scope="row">{name}</th><td>{start}</td><td>{value.toFixed(2)}</td></tr>)}</tbody>
        </table>
      </div>
    </>
  );
}

function RunCard({ run, alone }: { run: FleetRun; alone: boolean }) {
  return (
    <section class={`card ${alone ? 'wide' : ''}`} data-run-card={run.id}>
      <h2>{run.id}: {run.name} <small class="faint">{known('fleet.kind', run.kind)} · {known('fleet.state', run.state)}</small></h2>
      {run.obstacle && <p class="problem" role="status">{t('fleet.waits', { why: run.obstacle })}</p>}
      {run.reason && <p class={run.state === 'stopped' ? 'problem' : ''}>{t('fleet.ended', { why: run.reason })}</p>}
      <p class="faint">
        {[t('fleet.by', { owner: run.owner, priority: run.priority }), momentText(run.created * 1000) + (run.ended === null ? '' : ` – ${momentText(run.ended * 1000)}`), t('fleet.tasks', { n: run.tasks }),
          ...(run.positions > 0 ? [t('fleet.positions', { n: compact(run.positions) })] : [])].join(' · ')}
      </p>
      {run.score && <Score score={run.score} />}
      {run.tuning && <Tuning tuning={run.tuning} />}
      {run.tally.length > 0 && <p>{run.tally.map(({ what, count }) => `${count} ${what}`).join(' · ')}</p>}
      {run.last_faults.length > 0 && <Faults rows={run.last_faults} label={`${run.id}: ${t('fleet.faults')}`} />}
    </section>
  );
}

function Workers({ picture }: { picture: WatchFleet }) {
  const row = (worker: FleetWorker) => (
    <tr key={worker.id}>
      <th scope="row">{worker.id}</th><td>{worker.owner}</td><td>{worker.cores}</td><td>{compact(worker.speed)}</td>
      <td class={worker.standing === 'barred' ? 'problem' : worker.standing === 'admitted' ? '' : 'faint'}>{known('fleet.standing', worker.standing)}</td>
      <td>{worker.tasks}</td><td>{worker.residual?.toFixed(1) ?? '–'}</td><td>{momentText(worker.last_seen * 1000)}</td><td>{worker.reason ?? ''}</td>
    </tr>
  );
  return (
    <section class="card wide">
      <h2>{t('fleet.workers')}</h2>
      {picture.workers.length === 0 ? <p class="faint">{t('fleet.noworkers')}</p> : (
        <Scrolled label={t('fleet.workers')}>
          <table data-fleet="workers">
            <Heads names={[t('fleet.worker'), t('fleet.owner'), t('fleet.cores'), t('fleet.speed'), t('fleet.standing'), t('fleet.has'), t('fleet.residual'), t('fleet.seen'), t('fleet.why')]} />
            <tbody>{picture.workers.map(row)}</tbody>
          </table>
        </Scrolled>
      )}
      {picture.more_workers > 0 && <p class="faint">{t('fleet.moreworkers', { n: picture.more_workers })}</p>}
    </section>
  );
}

function Faults({ rows, label }: { rows: FleetFault[]; label: string }) {
  return (
    <Scrolled label={label}>
      <table data-fleet="faults">
        <Heads names={[t('fleet.when'), t('fleet.run'), t('fleet.worker'), t('fleet.kind'), t('fleet.what')]} />
        <tbody>{rows.map((row, index) => <tr key={index}><td>{momentText(row.at * 1000)}</td><td>{row.run ?? ''}</td><td>{row.worker ?? ''}</td><td>{known('fleet.fault', row.kind)}</td><td>{row.reason}</td></tr>)}</tbody>
      </table>
    </Scrolled>
  );
}

/** The run that is named in the address; otherwise those under way, or the last one. */
function chosen(runs: FleetRun[]): FleetRun[] {
  const named = runs.filter(({ id }) => id === route.value.rest[1]);
  if (named.length > 0) return named;
  const active = runs.filter(({ state }) => state === 'active');
  return (active.length > 0 ? active : runs.slice(0, 1)).slice(0, WHOLE);
}

export function FleetView({ picture }: { picture: WatchFleet }) {
  const shown = chosen(picture.runs);
  const one = route.value.rest[1] !== undefined;
  const facts = [t('fleet.pace', { n: pace(picture.games_a_minute) }), t('fleet.leased', { n: picture.leased }), t('fleet.waiting', { n: picture.waiting })];
  return (
    <div class="cards fleet">
      <p class="wide source">
        <span class={picture.live ? 'live' : 'faint'}>{picture.live ? t('watch.live') : t('fleet.away')}</span> {picture.source}
        <span class="faint"> · {facts.join(' · ')}</span>
        {picture.draining && <strong class="problem"> · {t('fleet.draining')}</strong>}
      </p>
      {picture.error && <p class="problem wide">{picture.error}</p>}
      <Runs picture={picture} />
      {one && <p class="wide"><a href={routeHash('watch', 'fleet')}>{t('fleet.allruns')}</a></p>}
      {shown.map((run) => <RunCard key={run.id} run={run} alone={shown.length === 1} />)}
      <Workers picture={picture} />
      <section class="card wide">
        <h2>{t('fleet.faults')}</h2>
        {picture.faults.length === 0 ? <p class="faint">{t('fleet.nofaults')}</p> : <Faults rows={picture.faults} label={t('fleet.faults')} />}
      </section>
    </div>
  );
}
