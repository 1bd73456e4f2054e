// Numbers of a fleet as people read them.

import { t } from '../i18n';
import type { FleetRun, FleetTuning } from '../net/contract';
import { compact } from '../parts/format';
import { eloText } from './elo';

/** Curves that can be told apart. */
const CURVES = 6;

export function pace(aMinute: number): string {
  return aMinute >= 100 ? compact(aMinute) : aMinute.toFixed(1);
}

/** How far a number has moved, in hundredths of where it began; null where it is not known. */
export function moved(start: number, value: number | undefined): number | null {
  return value === undefined ? null : ((value - start) * 100) / Math.max(1, Math.abs(start));
}

/** The places of the numbers that have moved furthest, in their order. */
export function furthest({ numbers }: Pick<FleetTuning, 'numbers'>): number[] {
  const far = (index: number): number => Math.abs(moved(numbers[index]?.start ?? 0, numbers[index]?.value) ?? 0);
  const places = numbers.map((_, index) => index);
  return places.sort((a, b) => far(b) - far(a) || a - b).slice(0, CURVES).sort((a, b) => a - b);
}

/** What came of a run so far, in short. */
export function resultParts({ score, tuning, tally, positions }: Pick<FleetRun, 'score' | 'tuning' | 'tally' | 'positions'>): string[] {
  const parts: string[] = [];
  if (score) parts.push(`+${score.wins} =${score.draws} −${score.losses}`);
  if (score?.elo) parts.push(`Elo ${eloText(score.elo)}`);
  if (score?.sprt) parts.push(`LLR ${score.sprt.ratio.toFixed(2)} ${score.sprt.verdict}`);
  if (tuning) parts.push(t('fleet.iterations', { n: tuning.iteration, total: tuning.iterations }));
  if (positions > 0) parts.push(t('fleet.positions', { n: compact(positions) }));
  return [...parts, ...tally.map(({ what, count }) => `${count} ${what}`)];
}
