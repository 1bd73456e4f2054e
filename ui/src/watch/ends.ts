// How games ended, in the words servers and matches have for it.

import { known } from '../i18n';

const NAMES: Record<string, string> = {
  time_up: 'time', sennichite: 'repetition', oute_sennichite: 'perpetual_check', jishogi: 'declaration', max_moves: 'move_limit',
  censored: 'move_limit', chudan: 'interrupted', try: 'declaration', repetition_loss: 'repetition', illegal: 'illegal_move',
};

export function endName(word: string): string {
  const plain = word.replace(/^[#%]/, '').toLowerCase().replaceAll('-', '_').replaceAll(' ', '_');
  return known('ending', NAMES[plain] ?? plain);
}
