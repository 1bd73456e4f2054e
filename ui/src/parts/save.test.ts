import { expect, test } from 'vitest';
import { dayIn, dayOf, fileName } from './save';

test.each([
  [['20261116', ['Aoi', 'Ren'], 'kif'], '20261116_Aoi_Ren.kif'],
  [['20261116', ['あなた', 'Nue 初段'], 'csa'], '20261116_あなた_Nue_初段.csa'],
  [['20261116', ['a/b\\c:d*e?"<>|f', '../..'], 'kif'], '20261116_a_b_c_d_e_f.kif'],
  [['20261116', [undefined, null], 'usi'], '20261116.usi'],
] as const)('%j', ([day, names, format], name) => {
  expect(fileName(day, names, format)).toBe(name);
});

test.each([
  ['2026/11/06 10:00', '20261106'], ['2026年1月6日', '20260106'], ['2026-01-06', '20260106'], ['yesterday', null], [undefined, null],
])('the day in %s', (text, day) => {
  expect(dayIn(text)).toBe(day);
});

test('the day of a moment', () => {
  expect(dayOf(new Date(2026, 0, 6, 23, 59))).toBe('20260106');
});
