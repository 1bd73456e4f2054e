// A finger drawn sideways steps through a game. A piece that is being dragged is no swipe, nor is
// scrolling, nor what is drawn across a slider.

const FAR = 48;

/** Steps a stroke means: left is forward, as pages are turned. */
export function stroke(dx: number, dy: number): -1 | 0 | 1 {
  if (Math.abs(dx) < FAR || Math.abs(dx) < 2 * Math.abs(dy)) return 0;
  return dx < 0 ? 1 : -1;
}

export function swipeSteps(place: HTMLElement, step: (by: number) => void): () => void {
  let from: { x: number; y: number } | null = null;
  const begin = (event: TouchEvent): void => {
    const touch = event.touches.length === 1 ? event.touches[0] : undefined;
    const busy = (event.target as Element).closest('input, select, textarea, dialog, .curve');
    from = touch && !busy ? { x: touch.clientX, y: touch.clientY } : null;
  };
  const end = (event: TouchEvent): void => {
    const touch = event.changedTouches[0];
    const begun = from;
    from = null;
    if (!begun || !touch || place.querySelector('sq.selected, sg-hp-wrap.selected')) return;
    const by = stroke(touch.clientX - begun.x, touch.clientY - begun.y);
    if (by !== 0) step(by);
  };
  const cancel = (): void => void (from = null);
  place.addEventListener('touchstart', begin, { passive: true });
  place.addEventListener('touchend', end, { passive: true });
  place.addEventListener('touchcancel', cancel, { passive: true });
  return () => {
    place.removeEventListener('touchstart', begin);
    place.removeEventListener('touchend', end);
    place.removeEventListener('touchcancel', cancel);
  };
}
