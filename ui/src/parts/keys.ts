// Keys that work anywhere but in fields: stepping through a game, and letters for what buttons do.

import { settings } from '../settings';

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

/**
 * Letters, and `Ctrl+` letters, until the answer is called. The board keeps the letters of pieces for itself
 * while it has the focus; no shortcut is one of them.
 */
export function shortcuts(actions: Record<string, () => void>): () => void {
  const listener = (event: KeyboardEvent): void => {
    const held = event.ctrlKey || event.metaKey;
    const action = actions[held ? `Ctrl+${event.key.toLowerCase()}` : event.key];
    if (!action || event.altKey || event.repeat || (settings.shortcuts.value === 'off' && !held)) return;
    if ((event.target as HTMLElement | null)?.closest?.('input:not([type="radio"], [type="range"]), select, textarea, dialog') || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    action();
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}

/** The box to type moves into, where the screen has one. */
export function focusEntry(): void {
  document.querySelector<HTMLElement>('[data-move-entry]')?.focus();
}
