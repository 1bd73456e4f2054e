// Tables of many columns.

import type { ComponentChildren } from 'preact';

/** A wide table, in a place of its own that can be scrolled with the keyboard. */
export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="scrolled" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}

export function Heads({ names }: { names: string[] }) {
  return <thead><tr>{names.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>;
}
