// Many engines as one: what each child is asked and thinks, the replies foreseen, the last decisions and faults.

import { Board } from '../board/Board';
import { facts } from '../hello';
import { known, notated, t } from '../i18n';
import type { ClusterChild, ClusterView as Picture, WatchCluster } from '../net/contract';
import { compact, percent } from '../parts/format';
import { answerText, movesText, stateText, taskText } from './cluster';
import { variantOf } from './live';
import { Heads, Scrolled } from './tables';

function Rate({ child }: { child: ClusterChild }) {
  if (child.win_rate === null) return null;
  const words = percent(child.win_rate, 1);
  return <><meter min={0} max={1} value={child.win_rate} aria-label={`${child.name}: ${t('cluster.winrate')}`} /> {words}</>;
}

function Children({ view }: { view: Picture }) {
  const names = [t('cluster.child'), t('cluster.does'), t('cluster.score'), t('cluster.winrate'), t('cluster.depth'), t('cluster.nodes'), t('cluster.nps'), t('cluster.line'), t('cluster.slow')];
  return (
    <section class="card wide">
      <h2>{t('cluster.children')}</h2>
      <Scrolled label={t('cluster.children')}>
        <table data-cluster="children">
          <Heads names={names} />
          <tbody>{view.children.map((child) => (
            <tr key={child.name} data-child={child.name} data-task={child.task}>
              <th scope="row">{child.name} {child.role !== 'player' && <small class="faint">{known('cluster.role', child.role)}</small>}</th>
              <td class={child.state === 'ready' ? '' : 'problem'}>{child.state === 'ready' ? taskText(child) : stateText(child)}</td>
              <td>{child.score ?? ''}</td><td><Rate child={child} /></td><td data-depth>{child.depth ?? ''}</td>
              <td>{child.nodes === null ? '' : compact(child.nodes)}</td><td>{child.nps === null ? '' : compact(child.nps)}</td>
              <td class="line">{notated(child.line).join(' ')}</td><td>{t('cluster.ms', { n: child.slow })}</td>
            </tr>
          ))}</tbody>
        </table>
      </Scrolled>
    </section>
  );
}

function Replies({ view }: { view: Picture }) {
  if (view.replies.length === 0) return null;
  return (
    <section class="card">
      <h2>{t('cluster.replies')}</h2>
      <table data-cluster="replies">
        <Heads names={[t('cluster.reply'), t('cluster.likely'), t('cluster.ponderedby')]} />
        <tbody>{view.replies.map(({ reply, chance, groups }) => (
          <tr key={reply.usi[0]}><th scope="row">{movesText(reply)}</th><td>{percent(chance, 1)}</td><td>{groups.join(', ')}</td></tr>
        ))}</tbody>
      </table>
    </section>
  );
}

function Decisions({ view }: { view: Picture }) {
  return (
    <section class="card wide">
      <h2>{t('cluster.decisions')}</h2>
      {view.decisions.length === 0 ? <p class="faint">{t('watch.quiet')}</p> : (
        <Scrolled label={t('cluster.decisions')}>
          <table data-cluster="decisions">
            <Heads names={[t('watch.game'), t('cluster.ply'), t('cluster.move'), t('cluster.by'), t('cluster.why'), t('cluster.foreseen'), t('cluster.wanted'), t('cluster.time')]} />
            <tbody>{view.decisions.map((row) => (
              <tr key={`${row.game}-${row.ply}-${row.time}`}>
                <td>{row.game}</td><td>{row.ply}</td><th scope="row">{answerText(row)}</th><td>{known('cluster.by', row.by)}</td><td>{known('cluster.why', row.why)}</td>
                <td>{row.foreseen ? t('cluster.yes') : ''}</td><td>{row.wanted}</td><td>{t('cluster.ms', { n: row.time })}</td>
              </tr>
            ))}</tbody>
          </table>
        </Scrolled>
      )}
    </section>
  );
}

function Faults({ view }: { view: Picture }) {
  return (
    <section class="card wide">
      <h2>{t('cluster.faults')}</h2>
      {view.faults.length === 0 ? <p class="faint">{t('cluster.nofaults')}</p> : (
        <Scrolled label={t('cluster.faults')}>
          <table data-cluster="faults">
            <Heads names={[t('watch.game'), t('cluster.child'), t('cluster.fault'), t('cluster.what')]} />
            <tbody>{view.faults.map((row, index) => <tr key={index}><td>{row.game}</td><th scope="row">{row.child}</th><td>{known('cluster.fault', row.fault)}</td><td>{row.detail}</td></tr>)}</tbody>
          </table>
        </Scrolled>
      )}
    </section>
  );
}

function Position({ view }: { view: Picture }) {
  const doing = [t('cluster.atply', { n: view.ply }), known('cluster.doing', view.doing), ...(view.foreseen ? [t('cluster.wasforeseen')] : [])];
  return (
    <section class="card cluster-position">
      <h2>{view.name}</h2>
      <p data-cluster="doing" data-doing={view.doing}>{doing.join(' · ')}</p>
      <div class="small-game"><Board view={{ sfen: view.sfen, last: null, mover: null }} orientation="black" hand={facts(variantOf(view.sfen)).hand} quiet /></div>
    </section>
  );
}

export function ClusterView({ picture }: { picture: WatchCluster }) {
  const { view } = picture;
  return (
    <div class="cards fleet cluster">
      <p class="wide source"><span class={picture.live ? 'live' : 'faint'}>{picture.live ? t('watch.live') : t('cluster.away')}</span> {picture.source}</p>
      {picture.error && <p class="problem wide">{picture.error}</p>}
      {view && <><Position view={view} /><Replies view={view} /><Children view={view} /><Decisions view={view} /><Faults view={view} /></>}
    </div>
  );
}
