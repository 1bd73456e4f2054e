// A handle between two panes: dragged, or moved with the arrow keys; the size is kept in the browser.

import { useEffect, useRef, useState } from 'preact/hooks';

interface Props { name: string; axis: 'x' | 'y'; first: number; least: number; most: number; label: string }

function kept(name: string, first: number): number {
  try {
    return Number(localStorage.getItem(`nue.pane.${name}`)) || first;
  } catch {
    return first;
  }
}

const STEP = 16;

/** Sets --pane-NAME on the page, in pixels: along x the width of what is right of it, along y the height of what is above. */
export function Splitter({ name, axis, first, least, most, label }: Props) {
  const [size, setSize] = useState(() => kept(name, first));
  const grip = useRef<{ at: number; size: number } | null>(null);
  const set = (wanted: number): void => setSize(Math.round(Math.min(most, Math.max(least, wanted))));
  useEffect(() => {
    document.documentElement.style.setProperty(`--pane-${name}`, `${size}px`);
    try {
      if (size !== first || localStorage.getItem(`nue.pane.${name}`) !== null) localStorage.setItem(`nue.pane.${name}`, String(size));
    } catch {
      // It lasts as long as the page.
    }
  }, [size]);
  const along = (event: PointerEvent): number => (axis === 'x' ? -event.clientX : event.clientY);
  return (
    <div
      class={`splitter ${axis}`} role="separator" tabIndex={0} aria-label={label} aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'}
      aria-valuenow={size} aria-valuemin={least} aria-valuemax={most} data-splitter={name}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { at: along(event), size };
      }}
      onPointerMove={(event) => {
        if (grip.current) set(grip.current.size + along(event) - grip.current.at);
      }}
      onPointerUp={() => (grip.current = null)}
      onPointerCancel={() => (grip.current = null)}
      onDblClick={() => set(first)}
      onKeyDown={(event) => {
        const by = { ArrowUp: -STEP, ArrowDown: STEP, ArrowLeft: axis === 'x' ? STEP : -STEP, ArrowRight: axis === 'x' ? -STEP : STEP }[event.key];
        if (event.key === 'Home') set(least);
        else if (event.key === 'End') set(most);
        else if (by !== undefined) set(size + by);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
