import { expect, test } from 'vitest';
import { stroke } from './swipe';

test.each([
  [-80, 5, 1], [80, -10, -1], [-30, 0, 0], [-80, 60, 0], [0, 200, 0],
])('a stroke of %i, %i', (dx, dy, by) => {
  expect(stroke(dx, dy)).toBe(by);
});
