// A line at the foot of the page for what went wrong or was done; it goes by itself.

import { signal } from '@preact/signals';
import { known, t } from '../i18n';
import { Refusal } from '../net/rest';
import { announce } from '../board/announce';

const shown = signal<{ text: string; bad: boolean } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export function toast(text: string, bad = false): void {
  shown.value = { text, bad };
  announce(text);
  clearTimeout(timer);
  timer = setTimeout(() => (shown.value = null), 5000);
}

/** Says why something was refused, in the visitor's words. */
export function complain(cause: unknown): void {
  if (cause instanceof Refusal) {
    const words = known('error', cause.code);
    const detail = ['unreadable', 'unwritable', 'bad_position', 'engine_failed'].includes(cause.code) && cause.message;
    toast(detail ? `${words} (${cause.message})` : words, true);
  } else {
    // Most likely a part of the page that could not be fetched.
    toast(t('error.internal'), true);
  }
}

export function Toast() {
  const now = shown.value;
  return now ? <div class={`toast ${now.bad ? 'bad' : ''}`}>{now.text}</div> : null;
}
