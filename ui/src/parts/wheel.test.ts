import { expect, test } from 'vitest';
import { turned } from './wheel';

test('a notch is a step, small turns add up, and turning back begins anew', () => {
  expect(turned(0, 100)).toEqual({ by: 1, left: 0 });
  expect(turned(0, -120)).toEqual({ by: -1, left: 0 });
  expect(turned(0, 20)).toEqual({ by: 0, left: 20 });
  expect(turned(40, 20)).toEqual({ by: 1, left: 0 });
  expect(turned(40, -20)).toEqual({ by: 0, left: -20 });
});
