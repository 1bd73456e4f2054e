import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import type { ClientMessage, MateAnswer } from '../net/contract';

const sent: ClientMessage[] = [];
let reopened: () => void = () => undefined;
let told: (message: MateAnswer) => void = () => undefined;
vi.mock('../net/socket', () => ({ connection: () => ({
  begin: (message: ClientMessage) => sent.push(message),
  on: (_: string, listener: typeof told) => { told = listener; return () => undefined; },
  onOpen: (opener: () => void) => { reopened = opener; return () => undefined; },
}) }));
const moves = signal(['7g7f']);
vi.mock('./state', () => ({ addLine: vi.fn(), goTo: vi.fn(), current: signal(1), moves, study: signal({ variant: 'shogi', start: 'startpos', nodes: [] }) }));
vi.mock('../board/announce', () => ({ announce: () => undefined }));
const { listenToMates, mate, startMate } = await import('./mate');

describe('the search for mate', () => {
  it('that a lost connection has cut off begins again, where it was begun', () => {
    listenToMates();
    startMate();
    moves.value = ['2g2f'];
    reopened();
    expect(sent).toMatchObject([{ type: 'mate.start', moves: ['7g7f'], serial: 1 }, { type: 'mate.start', moves: ['7g7f'], serial: 2 }]);
    told({ type: 'mate', serial: 2, state: 'nomate' } as MateAnswer);
    reopened();
    expect(sent).toHaveLength(2);
    expect(mate.value?.state).toBe('nomate');
  });
});
