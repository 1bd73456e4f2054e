import { describe, expect, it } from 'vitest';
import { settings } from '../settings';
import { endName } from './ends';
import { eloText } from './elo';

settings.language.value = 'en';

describe('the words of servers and matches', () => {
  it.each([
    ['TIME_UP', 'Out of time.'], ['#SENNICHITE', 'The same position for the fourth time.'], ['perpetual-check', 'Perpetual check.'],
    ['max-moves', 'The move limit was reached.'], ['mate', 'Checkmate.'], ['something new', 'something_new'],
  ])('%s', (word, text) => {
    expect(endName(word)).toBe(text);
  });
  it('Elo with and without bounds', () => {
    expect(eloText([-40.1, 14.5, 69.4])).toBe('+15 [-40, 69]');
    expect(eloText([12, null, null])).toBe('∞ [12, ∞]');
    expect(eloText(null)).toBe('–');
  });
});
