// Black's chance over the game as a curve to click on. The same numbers stand in a table for those
// who do not see the curve.

import { useEffect, useRef } from 'preact/hooks';
import { colorName } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { scale } from '../hello';
import { t } from '../i18n';
import { percent, winrateOf } from '../parts/format';
import { settings } from '../settings';
import { examined, review } from './review';
import { current, goTo, study } from './state';
import type { GraphHandle } from './curve';

export function Graph() {
  const place = useRef<HTMLDivElement>(null);
  const graph = useRef<GraphHandle | null>(null);
  const nodes = examined();
  const values = nodes.map((id) => {
    const evaluation = study.value.nodes[id]?.eval;
    return evaluation ? winrateOf(evaluation, scale(study.value.variant)) : null;
  });
  const label = t('graph.label', { side: colorName('black', isHandicap(study.value.start)) });
  const known = values.filter((value) => value !== null).length;
  const shown = nodes.indexOf(current.value);
  const marks = review.value.mistakes.map(({ ply, grade }) => ({ ply, grade }));
  const latest = useRef(nodes);
  latest.current = nodes;

  useEffect(() => {
    let wanted = true;
    if (!place.current || known === 0) return;
    void import('./curve').then(({ drawCurve }) => {
      if (!wanted || !place.current || graph.current) return;
      graph.current = drawCurve(place.current, (ply) => {
        const id = latest.current[ply];
        if (id !== undefined) goTo(id);
      });
      graph.current.update(values, marks, shown);
    });
    return () => {
      wanted = false;
    };
  }, [known > 0]);
  useEffect(() => graph.current?.update(values, marks, shown), [JSON.stringify(values), marks.length, shown, settings.theme.value]);
  useEffect(() => () => graph.current?.destroy(), []);

  return (
    <div class="graph" data-points={known}>
      <div ref={place} class="curve" role="img" aria-label={label} />
      {known > 0 && (
        // A table is as tall as its rows whatever its style says: the box around it is what is small.
        <div class="unseen">
          <table>
            <caption>{label}</caption>
            <tbody>
              {values.map((value, ply) => value !== null && (
                <tr key={ply}><th scope="row">{ply}</th><td data-ply={ply}>{percent(value)}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
