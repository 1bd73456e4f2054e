// What the server has to offer, asked once when the page opens.

import { signal } from '@preact/signals';
import type { Hello, Variant, VariantFacts } from './net/contract';
import { say, t } from './i18n';

export const hello = signal<Hello | null>(null);

export function facts(variant: Variant): VariantFacts {
  const found = hello.value?.variants.find(({ id }) => id === variant);
  return found ?? {
    id: variant, size: variant === 'shogi' ? 9 : 5, name: { en: variant, ja: variant }, declarations: [],
    start: variant === 'shogi' ? 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1' : 'rbsgk/4p/5/P4/KGSBR b - 1',
    hand: variant === 'shogi' ? ['R', 'B', 'G', 'S', 'N', 'L', 'P'] : ['R', 'B', 'G', 'S', 'P'],
  };
}

/** The scale of our own engine's win rates, as the server says. */
export function scale(variant: Variant): number {
  return hello.value?.engines.find(({ own }) => own)?.scale[variant] ?? 600;
}

/** The game's name with its handicap, where it has one. */
export function gameName(variant: Variant, handicap: string | null): string {
  const name = say(facts(variant).name);
  if (handicap === 'even') return name;
  return `${name} · ${handicap === null ? t('play.ownstart') : handicapName(handicap)}`;
}

function handicapName(id: string): string {
  const found = hello.value?.handicaps.find((handicap) => handicap.id === id);
  return found ? say(found.name) : id;
}
