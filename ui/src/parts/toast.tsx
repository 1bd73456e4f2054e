// A line at the foot of the page for what went wrong or was done; it goes by itself.

import { signal } from '@preact/signals';
import { hello } from '../hello';
import { fill, known, t } from '../i18n';
import { Refusal } from '../net/rest';
import { announce } from '../board/announce';

export interface ToastAction { words: string; act: () => void }
const shown = signal<{ text: string; bad: boolean; action?: ToastAction } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** `action` is something the visitor may do about it; it stays longer then, and as long as it has the focus. */
export function toast(text: string, bad = false, action?: ToastAction): void {
  shown.value = { text, bad, ...(action && { action }) };
  announce(action ? `${text} ${action.words}` : text);
  clearTimeout(timer);
  const fade = (): void => {
    if (document.activeElement?.closest('.toast')) timer = setTimeout(fade, 1000);
    else shown.value = null;
  };
  timer = setTimeout(fade, action ? 10000 : 5000);
}

/** A refusal in the visitor's words, with the limits it may be about. */
export function refusalWords(code: string): string {
  const limits = hello.value?.limits;
  const mebibytes = (limits?.bytes ?? 1048576) / 1048576;
  return fill(known('error', code), { bytes: `${mebibytes} MiB`, games: limits?.games ?? 1000, studies: limits?.studies ?? 1000, analyses: limits?.analyses ?? 4 });
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
  if (!now) return null;
  const { text, bad, action } = now;
  const act = (): void => {
    shown.value = null;
    action?.act();
  };
  return (
    <section class={`toast ${bad ? 'bad' : ''}`} aria-label={t('toast.label')}>
      {text}{action && <button type="button" class="plain" onClick={act} data-toast-action>{action.words}</button>}
    </section>
  );
}
