// The evaluation curve drawn by uPlot, fetched only when there is something to draw.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface GraphHandle {
  update: (values: (number | null)[], marks: { ply: number; grade: string }[], shown: number) => void;
  destroy: () => void;
}

const GRADES: Record<string, string> = { inaccuracy: '#c79a1b', mistake: '#d9701f', blunder: '#cf2f2a' };

function colour(name: string): string {
  // Values of light-dark() are resolved only where they are used.
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

export function drawCurve(place: HTMLElement, pick: (ply: number) => void): GraphHandle {
  let marks: { ply: number; grade: string }[] = [];
  let shown = -1;
  const height = (): number => Math.max(80, place.clientHeight || 150);
  const overlay = (plot: uPlot): void => {
    const { ctx } = plot;
    const y50 = plot.valToPos(50, 'y', true);
    ctx.save();
    ctx.strokeStyle = colour('--faint');
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(plot.bbox.left, y50);
    ctx.lineTo(plot.bbox.left + plot.bbox.width, y50);
    ctx.stroke();
    ctx.setLineDash([]);
    for (const { ply, grade } of marks) {
      const value = plot.data[1]?.[ply];
      if (value === null || value === undefined) continue;
      ctx.fillStyle = GRADES[grade] ?? '#888';
      ctx.beginPath();
      ctx.arc(plot.valToPos(ply, 'x', true), plot.valToPos(value, 'y', true), 4.5 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    if (shown >= 0) {
      const x = plot.valToPos(shown, 'x', true);
      ctx.strokeStyle = colour('--accent');
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, plot.bbox.top);
      ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };
  const plot = new uPlot(
    {
      width: place.clientWidth || 340, height: height(), legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: false }, y: { range: [0, 100] } },
      series: [{}, { stroke: () => colour('--ink'), width: 2, fill: () => colour('--fill-black'), points: { show: false }, spanGaps: false }],
      axes: [
        { stroke: () => colour('--faint'), grid: { show: false }, size: 26, ticks: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100] },
        { stroke: () => colour('--faint'), grid: { stroke: () => colour('--line'), width: 1 }, size: 44, ticks: { show: false }, splits: [0, 25, 50, 75, 100], values: (_, at) => at.map((v) => `${v}%`) },
      ],
      hooks: { draw: [overlay] },
    },
    [[0], [null]], place,
  );
  plot.over.addEventListener('click', () => {
    if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) pick(plot.cursor.idx);
  });
  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: height() }));
  observer.observe(place);
  return {
    update(values, newMarks, at) {
      marks = newMarks;
      shown = at;
      plot.setData([values.map((_, index) => index), values.map((value) => (value === null ? null : value * 100))]);
    },
    destroy() {
      observer.disconnect();
      plot.destroy();
    },
  };
}
