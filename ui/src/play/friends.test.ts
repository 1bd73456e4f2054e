import { describe, expect, it } from 'vitest';
import { base } from './friends';

describe('links for a friend', () => {
  const reach = { origin: 'http://192.168.0.7:8088', token: 'a b' };
  it('name this machine as others know it', () => {
    expect(base({ origin: 'http://localhost:8088', hostname: 'localhost' }, reach)).toBe('http://192.168.0.7:8088/?token=a%20b');
    expect(base({ origin: 'http://127.0.0.1:8088', hostname: '127.0.0.1' }, { origin: null, token: null })).toBe('http://127.0.0.1:8088/');
  });
  it('keep the name somebody came by, a proxy’s too', () => {
    expect(base({ origin: 'https://board.example', hostname: 'board.example' }, reach)).toBe('https://board.example/?token=a%20b');
  });
});
