import { describe, expect, it } from 'vitest';
import { changed, NO_HISTORY, redone, undone, type Moment } from './history';
import { emptyStudy, withChange, withMove, without } from './tree';

const start = emptyStudy('shogi', 'start');
const [one, first] = withMove(start, 0, { move: '7g7f', sfen: 'a' });
const [two, second] = withMove(one, first, { move: '3c3d', sfen: 'b' });

describe('undo and redo', () => {
  it('go back and forth through every change, with the place', () => {
    let history = changed(changed(NO_HISTORY, { study: start, at: 0 }), { study: one, at: first });
    let now: Moment = { study: two, at: second };
    const back = (): void => { [history, now] = undone(history, now) ?? [history, now]; };
    const forth = (): void => { [history, now] = redone(history, now) ?? [history, now]; };
    back();
    expect(now).toEqual({ study: one, at: first });
    back();
    expect(now).toEqual({ study: start, at: 0 });
    expect(undone(history, now)).toBeNull();
    forth();
    forth();
    expect(now).toEqual({ study: two, at: second });
    expect(redone(history, now)).toBeNull();
  });
  it('a change after an undo leaves nothing to redo', () => {
    const [history, now] = undone(changed(NO_HISTORY, { study: start, at: 0 }), { study: one, at: first }) ?? [NO_HISTORY, { study: one, at: 0 }];
    expect(history.future).toHaveLength(1);
    expect(changed(history, now).future).toHaveLength(0);
  });
  it('keep what engines have found since', () => {
    const removed = without(two, second);
    const found = withChange(removed, first, { eval: { score: { cp: 30 } } });
    const [, then] = undone(changed(NO_HISTORY, { study: two, at: second }), { study: found, at: first }) ?? [null, null];
    expect(then?.study.nodes[first]?.eval).toEqual({ score: { cp: 30 } });
    expect(then?.study.nodes[second]?.move).toBe('3c3d');
  });
  it('remembers two hundred steps', () => {
    let history = NO_HISTORY;
    for (let step = 0; step < 300; step++) history = changed(history, { study: start, at: step });
    expect(history.past).toHaveLength(200);
    expect(history.past[0]?.at).toBe(100);
  });
});
