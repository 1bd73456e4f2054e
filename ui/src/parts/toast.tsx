// A line at the foot of the page for what went wrong or was done; it goes by itself.

import { signal } from '@preact/signals';
import { hello } from '../hello';
import { fill, known, t } from '../i18n';
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

/** A refusal in the visitor's words, with the limits it may be about. */
export function refusalWords(code: string): string {
  const limits = hello.value?.limits;
  const mebibytes = (limits?.bytes ?? 1048576) / 1048576;
  return fill(known('error', code), { bytes: `${mebibytes} MiB`, games: limits?.games ?? 200, analyses: limits?.analyses ?? 4 });
}

/** Says why something was refused. */
export function complain(cause: unknown): void {
  if (cause instanceof Refusal) {
    const words = refusalWords(cause.code);
    // What exactly could not be read is known to the server alone, in English.
    const detail = ['unreadable', 'unwritable', 'engine_failed'].includes(cause.code) && cause.message;
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
