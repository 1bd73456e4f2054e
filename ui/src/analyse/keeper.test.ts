import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal, rest } from '../net/rest';
import type { Study as Stored, StudySummary } from '../net/contract';
import { Keeper } from './keeper';
import { emptyStudy, withMove } from './tree';

vi.stubGlobal('document', { activeElement: null });

const about = (study: string, revision: number, name = ''): StudySummary => ({
  study, revision, name, folder: '', tags: [], source: null, variant: 'shogi', black: null, white: null, plies: 0, moves: 0, created: 0, updated: 0, deleted: null,
});
const start = emptyStudy('shogi', 'start');
const [one, first] = withMove(start, 0, { move: '7g7f', sfen: 'a' });
const [two, second] = withMove(one, first, { move: '3c3d', sfen: 'b' });

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(rest, 'addStudy').mockImplementation(async ({ name }) => ({ about: about('new', 1, name), tree: {}, at: [] }) as unknown as Stored);
  vi.spyOn(rest, 'changeStudy').mockImplementation(async (id, { revision }) => about(id, (revision ?? 0) + 1));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('what the server keeps', () => {
  it('is saved a moment after a change, and only then', async () => {
    const keeper = Keeper.quiet(start);
    keeper.notice(start, 0);
    await vi.advanceTimersByTimeAsync(5000);
    expect(rest.addStudy).not.toHaveBeenCalled();
    keeper.notice(one, first);
    keeper.notice(two, second);
    await vi.advanceTimersByTimeAsync(5000);
    expect(rest.addStudy).toHaveBeenCalledTimes(1);
    expect(vi.mocked(rest.addStudy).mock.calls[0]?.[0].at).toEqual(['7g7f', '3c3d']);
    expect([keeper.id, keeper.saving.value, keeper.unsaved]).toEqual(['new', 'saved', false]);
    keeper.notice(one, first);
    await keeper.flush();
    expect(rest.changeStudy).toHaveBeenCalledWith('new', expect.objectContaining({ revision: 1 }), false);
    expect(keeper.revision).toBe(2);
  });
  it('is tried again where the server could not be reached', async () => {
    const keeper = Keeper.of(about('x', 4), start, 0);
    vi.mocked(rest.changeStudy).mockRejectedValueOnce(new Refusal('network', ''));
    keeper.notice(one, first);
    await vi.advanceTimersByTimeAsync(1000);
    expect([keeper.saving.value, keeper.unsaved]).toEqual(['failed', true]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([keeper.saving.value, keeper.revision]).toEqual(['saved', 5]);
  });
  it('goes on as a copy where another window was faster', async () => {
    const keeper = Keeper.of(about('x', 4, 'Mine'), start, 0);
    vi.mocked(rest.changeStudy).mockRejectedValueOnce(new Refusal('changed_elsewhere', ''));
    keeper.notice(one, first);
    await vi.advanceTimersByTimeAsync(2000);
    expect(keeper.id).toBe('new');
    expect(keeper.details.value.name).toBe('Mine (copy)');
    expect(keeper.saving.value).toBe('saved');
  });
  it('keeps the place when only that has changed, once', async () => {
    const keeper = Keeper.of(about('x', 4), one, 0);
    keeper.notice(one, first);
    await keeper.flush();
    await keeper.flush();
    expect(vi.mocked(rest.changeStudy).mock.calls).toEqual([['x', { at: ['7g7f'] }, false]]);
  });
});
