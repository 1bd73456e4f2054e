// A chart of a few curves; the drawing is fetched when it is first needed.

import { useEffect, useRef } from 'preact/hooks';
import { settings } from '../settings';
import type { ChartData, ChartHandle } from './chart';

export function Chart({ data, label }: { data: ChartData; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const handle = useRef<ChartHandle | null>(null);
  const key = JSON.stringify(data);
  useEffect(() => {
    let wanted = true;
    void import('./chart').then(({ drawChart }) => {
      if (!wanted || !place.current) return;
      handle.current?.destroy();
      handle.current = drawChart(place.current, data);
    });
    return () => {
      wanted = false;
    };
  }, [key, settings.theme.value]);
  useEffect(() => () => handle.current?.destroy(), []);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}
