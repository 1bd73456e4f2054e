// Numbers, times and scores as people read them.

import { settings } from '../settings';
import { colorName } from '../board/announce';
import { opposite } from '../board/shogi';
import { t } from '../i18n';
import type { Color, Ending, Score } from '../net/contract';
import { known } from '../i18n';

/** Hours only where there are any; below ten seconds with tenths. */
export function clockText(ms: number): string {
  const left = Math.max(0, ms);
  if (left < 10000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** Time spent on a move. */
export function spentText(ms: number | undefined): string {
  if (ms === undefined) return '';
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function scoreText(score: Score | undefined): string {
  if (!score) return '';
  if (score.mate !== undefined) {
    const winner = score.winner ?? ((score.mate ?? 0) > 0 ? 'black' : 'white');
    const sign = winner === 'black' ? '+' : '−';
    return score.mate === null ? `${sign}${t('score.mate')}` : `${sign}${t('score.matein', { n: Math.abs(score.mate) })}`;
  }
  const cp = score.cp ?? 0;
  return cp > 0 ? `+${cp}` : cp < 0 ? `−${-cp}` : '0';
}

/** What is told from Black's point of view, from that of a side. */
export function seenBy(side: Color, { score, winrate }: { score?: Score; winrate?: number }): { score?: Score; winrate?: number } {
  if (side === 'black') return { ...(score && { score }), ...(winrate !== undefined && { winrate }) };
  const turned = score && {
    ...(score.cp !== undefined && { cp: -score.cp }),
    ...(score.mate !== undefined && { mate: score.mate === null ? null : -score.mate }),
    ...(score.winner && { winner: opposite(score.winner) }),
  };
  return { ...(turned && { score: turned }), ...(winrate !== undefined && { winrate: 1 - winrate }) };
}

/** Black's win rate, from the score by the engine's scale where it was not sent along. */
export function winrateOf(evaluation: { score?: Score; winrate?: number }, scale: number): number | null {
  if (evaluation.winrate !== undefined) return evaluation.winrate;
  const { score } = evaluation;
  if (!score) return null;
  if (score.mate !== undefined) return (score.winner ?? ((score.mate ?? 0) > 0 ? 'black' : 'white')) === 'black' ? 1 : 0;
  return 1 / (1 + Math.exp(-(score.cp ?? 0) / scale));
}

export function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)}%`;
}

/** 1234567 as 1.23M. */
export function compact(n: number | null | undefined): string {
  if (n === null || n === undefined) return '–';
  if (n < 1000) return String(Math.round(n));
  const [unit, size] = n < 1e6 ? (['k', 1e3] as const) : n < 1e9 ? (['M', 1e6] as const) : (['G', 1e9] as const);
  const value = n / size;
  return `${value >= 100 ? Math.round(value) : value.toPrecision(3)}${unit}`;
}

export function momentText(moment: number): string {
  return new Date(moment).toLocaleString(settings.language.value, { dateStyle: 'short', timeStyle: 'short' });
}

/** How a game ended, in words; `you` turns the winner into "you win". */
export function endingText(ending: Ending, you?: Color | 'both' | 'watch', handicap = false): string {
  const reason = ending.text ?? known('ending', ending.reason);
  if (ending.winner === null || ending.winner === undefined) {
    const open = ['interrupted', 'engine_failed', 'no_mate', 'taken_back', 'error', 'sealed', 'abandoned', 'other'];
    return open.includes(ending.reason) ? reason : `${reason} ${t('result.draw')}`;
  }
  if (you === ending.winner) return `${reason} ${t('result.youwin')}`;
  if (you === 'black' || you === 'white') return `${reason} ${t('result.youlose')}`;
  return `${reason} ${t('result.wins', { side: colorName(ending.winner, handicap) })}`;
}
