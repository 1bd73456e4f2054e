import { describe, expect, it } from 'vitest';
import { settings } from '../settings';
import { answerText, stateText, taskText } from './cluster';

const none = { usi: [], ja: [], en: [] };
const pawn = { usi: ['7g7f'], ja: ['▲７六歩'], en: ['P-7f'] };

describe('a cluster in words', () => {
  it('says what each child is asked', () => {
    settings.language.value = 'en';
    expect(taskText({ task: 'thinks', about: none })).toBe('thinks');
    expect(taskText({ task: 'ponders', about: pawn })).toBe('ponders: P-7f');
    expect(taskText({ task: 'decides', about: { usi: ['7g7f', '2g2f'], ja: ['▲７六歩', '▲２六歩'], en: ['P-7f', 'P-2f'] } })).toBe('decides between: P-7f, P-2f');
    settings.language.value = 'ja';
    expect(taskText({ task: 'ponders', about: pawn })).toBe('先読み：▲７六歩');
    settings.language.value = 'en';
  });

  it('says why one is not asked, and when it comes back', () => {
    expect(stateText({ state: 'loading', again: null })).toBe('loading');
    expect(stateText({ state: 'down', again: 1500 })).toBe('started again in 1.5 s');
    expect(stateText({ state: 'out', again: null })).toBe('out for this game');
  });

  it('says what was decided', () => {
    expect(answerText({ played: pawn, answer: '7g7f' })).toBe('P-7f');
    expect(answerText({ played: none, answer: 'resign' })).toBe('resigns');
  });
});
