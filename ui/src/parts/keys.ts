// Stepping through a game with the arrow keys, anywhere but in fields and on the board's cursor.

function occupied(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return !!element?.closest('input, select, textarea, dialog, [role="application"]');
}

/** Listens until the answer is called. */
export function stepKeys(step: (by: number) => void): () => void {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -9999, End: 9999 };
  const listener = (event: KeyboardEvent): void => {
    const by = steps[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || occupied(event.target)) return;
    event.preventDefault();
    step(by);
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}
