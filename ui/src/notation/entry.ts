// A move typed by hand, in USI, Western or Japanese notation, matched against the legal moves.
//
// Nothing is parsed that is not legal: every legal move is written in each notation, and what was
// typed must fit exactly one of them. Ambiguous entries name their candidates.

import { parseSfen, type Diagram } from '../board/shogi';

export type Entry = { move: string } | { several: string[] } | { none: true };

const KANJI: Record<string, string> = {
  P: '歩', L: '香', N: '桂', S: '銀', G: '金', B: '角', R: '飛', K: '玉',
  '+P': 'と', '+L': '成香', '+N': '成桂', '+S': '成銀', '+B': '馬', '+R': '龍',
};
const SPELLINGS: [RegExp, string][] = [
  [/王/g, '玉'], [/竜/g, '龍'], [/杏/g, '成香'], [/圭/g, '成桂'], [/全/g, '成銀'], [/歩兵/g, '歩'],
];

/** Full width to half width, no blanks, no marks of sides. */
function plain(text: string): string {
  let out = text.trim().replace(/[！-～]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0));
  out = out.replace(/[\s\u3000▲△☗☖▼▽]/g, '');
  for (const [from, to] of SPELLINGS) out = out.replace(from, to);
  return out;
}

/** 7六 or 76 or 7f to 7f. */
function squares(text: string): string {
  return text.replace(/([1-9])([一二三四五六七八九1-9])/g, (_, file: string, rank: string) => {
    const number = '一二三四五六七八九'.indexOf(rank) + 1 || Number(rank);
    return file + 'abcdefghi'[number - 1];
  });
}

function western(text: string): string {
  return squares(text).toLowerCase().replace(/[-x×=()']/g, '');
}

/** Every way this move may be typed, without telling apart moves that others could mean too. */
function spellings(usi: string, diagram: Diagram, last: string | null): { western: string[]; japanese: string[] } {
  const to = usi.slice(2, 4);
  const drop = usi[1] === '*';
  const from = drop ? '' : usi.slice(0, 2);
  const piece = drop ? undefined : diagram.squares.get(from);
  const name = drop ? (usi[0] ?? 'P') : `${piece?.promoted ? '+' : ''}${piece?.letter ?? 'P'}`;
  const plus = usi.endsWith('+') ? '+' : '';
  const short = name.toLowerCase();
  const roman = drop
    ? [`${short}*${to}`, `${short}'${to}`]
    : [`${short}${to}${plus}`, `${short}${from}${to}${plus}`];
  const kanji = KANJI[name] ?? '';
  const suffix = plus ? '成' : '';
  const places = last === to ? [to, '同'] : [to];
  const japanese = places.flatMap((place) =>
    drop ? [`${place}${kanji}打`, `${place}${kanji}`]
      : [`${place}${kanji}${suffix}`, `${place}${kanji}${suffix}(${from})`, `${from}${place}${kanji}${suffix}`]);
  return { western: roman, japanese };
}

export function readEntry(typed: string, sfen: string, legal: readonly string[], last: string | null): Entry {
  const diagram = parseSfen(sfen);
  const text = plain(typed);
  if (!diagram || text === '') return { none: true };
  const usi = legal.find((move) => move.toLowerCase() === text.toLowerCase());
  if (usi) return { move: usi };
  const roman = western(text);
  const japanese = squares(text).replace(/不成$/, '').replace(/右|左|直|上|寄|引/g, '');
  const target = last ? last.slice(2, 4) : null;
  const fits = legal.filter((move) => {
    const ways = spellings(move, diagram, target);
    return ways.western.some((way) => way.replace("'", '') === roman) || ways.japanese.includes(japanese);
  });
  // Where a board move fits, a drop of the same name needs its 打 or *.
  const moves = fits.length > 1 && !/[打*]/.test(text) ? fits.filter((move) => move[1] !== '*') : fits;
  const only = moves[0];
  if (only === undefined) return { none: true };
  return moves.length === 1 ? { move: only } : { several: moves };
}
