import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TsumeNext } from '../net/contract';
import { rest } from '../net/rest';

const request = vi.fn(async () => ({ position: { legal: [] } }) as unknown);
vi.mock('../net/socket', () => ({ connection: () => ({ request }) }));
vi.mock('../parts/sound', () => ({ sound: () => undefined }));
vi.stubGlobal('document', { activeElement: null });
const { giveUp, load, moves, playOut, position, resume, state } = await import('./tsume');

const problem = (id: string): TsumeNext => ({ problem: { id, sfen: '4k4/9/4P4/9/9/9/9/9/9 b G 1', plies: 3, turn: 'black' }, again: false, progress: {} }) as unknown as TsumeNext;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(rest, 'tsume').mockResolvedValueOnce(problem('a')).mockResolvedValueOnce(problem('b'));
  vi.spyOn(rest, 'tryTsume').mockResolvedValue({ state: 'shown', solution: { line: ['G*5b', '5a4a', '5b4b'], ja: [], en: [] } } as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a mate problem', () => {
  it('is not played on by the solution of the one before', async () => {
    await load();
    await giveUp();
    playOut();
    await vi.advanceTimersByTimeAsync(700);
    expect(moves.value).toEqual(['G*5b']);
    await load();
    await vi.advanceTimersByTimeAsync(5000);
    expect([moves.value, state.value]).toEqual([[], 'solving']);
  });

  it('whose moves a lost connection has swallowed asks for them again', async () => {
    request.mockRejectedValueOnce(new Error('lost'));
    await load();
    expect(position.value).toBeNull();
    resume();
    await vi.advanceTimersByTimeAsync(1);
    expect(position.value).not.toBeNull();
  });
});
