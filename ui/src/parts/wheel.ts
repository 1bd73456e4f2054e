// The mouse wheel steps through a game: one notch, one move; a touchpad's small turns add up to one.

const NOTCH = 50;

/** How many steps a turn makes, and what is left over for the next. */
export function turned(left: number, delta: number): { by: number; left: number } {
  // Turning the other way begins anew.
  const sum = Math.sign(left) === -Math.sign(delta) ? delta : left + delta;
  if (Math.abs(sum) < NOTCH) return { by: 0, left: sum };
  return { by: Math.sign(sum), left: 0 };
}

export function wheelSteps(place: HTMLElement, step: (by: number) => void): () => void {
  let left = 0;
  const listener = (event: WheelEvent): void => {
    // Zooming is the browser's.
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 40;
    const { by, left: rest } = turned(left, event.deltaY * lines);
    left = rest;
    if (by !== 0) step(by);
  };
  place.addEventListener('wheel', listener, { passive: false });
  return () => place.removeEventListener('wheel', listener);
}
