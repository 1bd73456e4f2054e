// A fleet whose coordinator has done a test and a tuning itself, for whoever looks at fleets.

import { execFileSync } from 'node:child_process';
import { NUE } from './harness';

/** Runs a command in a folder. */
export function command(folder: string, ...words: string[]): void {
  execFileSync(NUE, words, { stdio: 'ignore', cwd: folder });
}

/** Makes the fleet `fleet` in a folder with a test, r1, and a tuning, r2, that `finish` has done. */
export function makeFleet(folder: string): { finish: () => void } {
  const nue = (...words: string[]): void => command(folder, ...words);
  nue('fleet', 'serve', '--drain');
  nue('openings', 'make', '--game', 'minishogi', '--count', '20', '--plies', '4', '--nodes', '20', '--margin', '300', '--out', 'openings.txt');
  nue('match', '--game', 'minishogi', '--engine', 'cmd=self,name=new,nodes=60', '--engine', 'cmd=self,name=old,nodes=20', '--each', 'option.USI_Hash=1,option.Threads=1,option.EvalDir=material',
    '--max-moves', '60', '--games', '80', '--openings', 'openings.txt', '--sprt', 'elo0=0,elo1=30', '--fleet=fleet');
  nue('tune', '--game', 'minishogi', '--nodes', '20', '--option', 'EvalDir=material', '--option', 'USI_Hash=1', '--params', 'rfp_margin,lmr_base', '--iterations', '8', '--openings', 'openings.txt', '--fleet=fleet');
  return { finish: () => nue('fleet', 'serve', '--drain', '-j', '2') };
}
