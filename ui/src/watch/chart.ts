// Curves drawn by uPlot: points with or without an error band, a legend below.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Curve { name: string; values: (number | null)[]; low?: (number | null)[]; high?: (number | null)[]; points?: boolean; dashed?: boolean }
export interface ChartData { x: number[]; xName: string; whole?: boolean; curves: Curve[] }
export interface ChartHandle { destroy: () => void }

const COLOURS = ['#0b7fab', '#d9701f', '#2f8f3e', '#9350b5', '#cf2f2a', '#7d7d2a'];

function ink(place: HTMLElement): string {
  return getComputedStyle(place).color;
}

function errorBars(curves: Curve[]): (plot: uPlot) => void {
  return (plot) => {
    const { ctx } = plot;
    for (const [index, curve] of curves.entries()) {
      if (!curve.low || !curve.high) continue;
      ctx.strokeStyle = COLOURS[index % COLOURS.length] ?? '#888';
      ctx.lineWidth = devicePixelRatio;
      for (const [at, x] of (plot.data[0] ?? []).entries()) {
        const low = curve.low[at];
        const high = curve.high[at];
        if (low === null || low === undefined || high === null || high === undefined) continue;
        const px = plot.valToPos(x, 'x', true);
        ctx.beginPath();
        ctx.moveTo(px, plot.valToPos(low, 'y', true));
        ctx.lineTo(px, plot.valToPos(high, 'y', true));
        ctx.stroke();
      }
    }
  };
}

export function drawChart(place: HTMLElement, { x, xName, whole, curves }: ChartData): ChartHandle {
  place.replaceChildren();
  const color = ink(place);
  const grid = 'rgb(128 128 128 / 22%)';
  const extremes = curves.flatMap((curve) => [...curve.values, ...(curve.low ?? []), ...(curve.high ?? [])]).filter((v): v is number => v !== null);
  const low = Math.min(...extremes, Infinity);
  const high = Math.max(...extremes, -Infinity);
  const margin = (high - low) * 0.08 || 1;
  const plot = new uPlot(
    {
      width: place.clientWidth || 400, height: 260,
      scales: { x: { time: false }, y: { range: extremes.length ? [low - margin, high + margin] : [0, 1] } },
      cursor: { drag: { x: false, y: false } },
      series: [{ label: xName }, ...curves.map((curve, index) => ({
        label: curve.name, stroke: COLOURS[index % COLOURS.length] ?? '#888', width: 2, spanGaps: true,
        ...(curve.dashed ? { dash: [6, 4] } : {}), points: { show: !!curve.points, size: 7 },
        value: (_: uPlot, value: number | null) => (value === null ? '–' : String(Math.round(value * 10000) / 10000)),
      }))],
      axes: [{ stroke: color, grid: { stroke: grid }, ticks: { show: false }, incrs: [...(whole ? [] : [0.1, 0.2, 0.5]), 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }, { stroke: color, grid: { stroke: grid }, ticks: { show: false }, size: 58 }],
      hooks: { draw: [errorBars(curves)] },
    },
    [x, ...curves.map((curve) => curve.values)] as uPlot.AlignedData, place,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 260 }));
  observer.observe(place);
  return {
    destroy() {
      observer.disconnect();
      plot.destroy();
    },
  };
}
