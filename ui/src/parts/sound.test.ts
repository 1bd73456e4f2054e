import { expect, test } from 'vitest';
import { countdown } from './sound';

test('the last ten seconds are counted: one at ten, each from eight, higher from five', () => {
  const heard: string[] = [];
  for (let second = 15; second >= 0; second--) heard.push(`${second}:${countdown(second + 1, second) ?? ''}`);
  expect(heard).toEqual([
    '15:', '14:', '13:', '12:', '11:', '10:tick', '9:', '8:tick', '7:tick', '6:tick', '5:last', '4:last', '3:last', '2:last', '1:last', '0:',
  ]);
});

test('a second is counted once, and a clock that got time back is silent', () => {
  expect(countdown(5, 5)).toBe(null);
  expect(countdown(3, 10)).toBe(null);
});
