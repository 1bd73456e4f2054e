import { describe, expect, it } from 'vitest';
import { readTags } from '../analyse/StudyDialog';
import { search, sent } from './rest';

describe('what is sent', () => {
  it('asks only for what is said', () => {
    expect(search({})).toBe('');
    expect(search({ q: 'a b&c', folder: '', tag: undefined, deleted: false, offset: 0 })).toBe('?q=a%20b%26c&offset=0');
    expect(search({ deleted: true })).toBe('?deleted=true');
  });
  it('leaves out of a record what the server works out itself', () => {
    const tree = { variant: 'shogi' as const, start: 's', handicap: 'even', headers: [], black: 'x', white: null, nodes: [{ parent: null, sfen: 's' }, { parent: 0, move: '7g7f', ja: 'a', en: 'b', sfen: 'c', check: false, comments: ['d'] }] };
    expect(sent(tree)).toEqual({ variant: 'shogi', start: 's', headers: [], black: 'x', nodes: [{ parent: null }, { parent: 0, move: '7g7f', comments: ['d'] }] });
  });
  it('reads tags between commas of either language, each once', () => {
    expect(readTags(' mine, \u68d2\u9280\u3001mine\uff0c,  two words ')).toEqual(['mine', '\u68d2\u9280', 'two words']);
  });
});
