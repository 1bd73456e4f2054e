// Records that come from anywhere: Ctrl+V with no field in focus, and files dropped on the page. They
// go to the analysis, which reads them.

import { signal } from '@preact/signals';
import { go, routeHash } from '../route';

/** Text or a file that waits to be opened. */
export const incoming = signal<string | File | null>(null);
/** A file is being dragged over the page. */
export const hovering = signal(false);

function take(body: string | File): void {
  incoming.value = body;
  go(routeHash('analyse'));
}

function inField(target: EventTarget | null): boolean {
  return !!(target as HTMLElement | null)?.closest?.('input, textarea, select, dialog, [contenteditable]');
}

const holdsFiles = (event: DragEvent): boolean => !!event.dataTransfer?.types.includes('Files');

export function listenToIntake(): void {
  window.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const file = event.clipboardData?.files[0];
    if (inField(event.target) || document.querySelector('dialog[open]') || (!file && text.trim() === '')) return;
    event.preventDefault();
    take(file ?? text);
  });
  window.addEventListener('dragover', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    hovering.value = true;
  });
  window.addEventListener('dragleave', (event) => {
    // Only when the pointer leaves the window: going from one element to another has a relatedTarget.
    if (event.relatedTarget === null) hovering.value = false;
  });
  window.addEventListener('drop', (event) => {
    hovering.value = false;
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    if (!inField(event.target)) take(file);
  });
}
