// A record with its variations, as the page works on it: nodes with their children, changed by
// making new values. Between this and the contract's flat list only shape differs, never content.

import { BLACK, WHITE } from '../i18n/headers';
import type { Ending, Evaluation, Tree, TreeNode, Variant } from '../net/contract';

export interface Node {
  parent: number | null;
  children: number[];
  sfen: string;
  move?: string; ja?: string; en?: string; check?: boolean;
  end?: Ending; ms?: number; comments?: string[]; bookmark?: string; eval?: Evaluation;
}

export interface Study {
  variant: Variant; start: string; handicap?: string; headers: [string, string][]; black?: string; white?: string;
  nodes: Record<number, Node>;
  next: number;
}

export function emptyStudy(variant: Variant, start: string): Study {
  return { variant, start, headers: [], nodes: { 0: { parent: null, children: [], sfen: start } }, next: 1 };
}

export function fromTree(tree: Tree): Study {
  const study: Study = { ...emptyStudy(tree.variant, tree.start), headers: tree.headers ?? [], next: tree.nodes.length };
  if (tree.handicap) study.handicap = tree.handicap;
  if (tree.black) study.black = tree.black;
  if (tree.white) study.white = tree.white;
  for (const [id, { parent, sfen, ...rest }] of tree.nodes.entries()) {
    const above = parent === null ? undefined : study.nodes[parent];
    study.nodes[id] = { ...rest, parent, children: [], sfen: sfen ?? above?.sfen ?? tree.start };
    above?.children.push(id);
  }
  study.next = Math.max(1, tree.nodes.length);
  return study;
}

/** Parents before children, first children first: the order the contract asks for. */
export function toTree(study: Study): Tree {
  const order: number[] = [];
  const waiting = [0];
  while (waiting.length) {
    const id = waiting.pop() as number;
    order.push(id);
    waiting.push(...[...(study.nodes[id]?.children ?? [])].reverse());
  }
  const place = new Map(order.map((id, index) => [id, index]));
  const nodes = order.map((id): TreeNode => {
    const { children: _, parent, ...rest } = study.nodes[id] as Node;
    return { ...rest, parent: parent === null ? null : (place.get(parent) ?? 0) };
  });
  const { variant, start, handicap, headers, black, white } = study;
  return { variant, start, headers, nodes, handicap: handicap ?? null, black: black ?? null, white: white ?? null };
}

/** Node numbers from the start to this node, both included. */
export function path(study: Study, id: number): number[] {
  const found: number[] = [];
  for (let at: number | null = id; at !== null; at = study.nodes[at]?.parent ?? null) found.unshift(at);
  return found;
}

export function movesTo(study: Study, id: number): string[] {
  return path(study, id).flatMap((at) => study.nodes[at]?.move ?? []);
}

/** The path to a node, followed by first children to the end of its line. */
export function lineThrough(study: Study, id: number): number[] {
  const line = path(study, id);
  for (let at = study.nodes[id]?.children[0]; at !== undefined; at = study.nodes[at]?.children[0]) line.push(at);
  return line;
}

export const mainLine = (study: Study): number[] => lineThrough(study, 0);

export function ply(study: Study, id: number): number {
  return path(study, id).length - 1;
}

export function childWith(study: Study, id: number, move: string): number | undefined {
  return study.nodes[id]?.children.find((child) => study.nodes[child]?.move === move);
}

/** Adds a move, or finds it where it is already. */
export function withMove(study: Study, parent: number, node: Omit<Node, 'parent' | 'children'>): [Study, number] {
  const known = node.move === undefined ? undefined : childWith(study, parent, node.move);
  const above = study.nodes[parent];
  if (known !== undefined || !above) return [study, known ?? parent];
  const id = study.next;
  // An ending stays the last child: nothing can follow it.
  const children = [...above.children.filter((child) => !study.nodes[child]?.end), id, ...above.children.filter((child) => study.nodes[child]?.end)];
  const nodes = { ...study.nodes, [parent]: { ...above, children }, [id]: { ...node, parent, children: [] } };
  return [{ ...study, nodes, next: id + 1 }, id];
}

/** A record with what another one has beside it: moves, endings, times; nothing of its own is lost. */
export function merged(study: Study, other: Study): Study {
  let made = study;
  const waiting: [number, number][] = [[0, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [theirs, ours] = next;
    for (const child of other.nodes[theirs]?.children ?? []) {
      const { parent: _, children: _children, ...node } = other.nodes[child] as Node;
      const ended = node.end && made.nodes[ours]?.children.some((id) => made.nodes[id]?.end);
      if (ended) continue;
      let at: number;
      [made, at] = withMove(made, ours, node);
      waiting.push([child, at]);
    }
  }
  return made;
}

export function withChange(study: Study, id: number, change: Partial<Node>): Study {
  const node = study.nodes[id];
  return node ? { ...study, nodes: { ...study.nodes, [id]: { ...node, ...change } } } : study;
}

export function headerOf(study: Study, name: string): string | undefined {
  return study.headers.find(([known]) => known === name)?.[1] ?? (name === BLACK ? study.black : name === WHITE ? study.white : undefined);
}

/** Changes a header, or takes it away where nothing is left of it; players are headers too. */
export function withHeader(study: Study, name: string, value: string): Study {
  const there = study.headers.some(([known]) => known === name);
  const changed: [string, string][] = there ? study.headers.map(([known, old]) => [known, known === name ? value : old]) : [...study.headers, [name, value]];
  const { black, white, ...rest } = study;
  const players = { black: name === BLACK ? value : black, white: name === WHITE ? value : white };
  return {
    ...rest, headers: changed.filter(([, text]) => text !== ''),
    ...(players.black && { black: players.black }), ...(players.white && { white: players.white }),
  };
}

export function below(study: Study, id: number): number[] {
  return [id, ...(study.nodes[id]?.children ?? []).flatMap((child) => below(study, child))];
}

/** Takes a node and what follows away. */
export function without(study: Study, id: number): Study {
  const parent = study.nodes[id]?.parent;
  if (parent === null || parent === undefined) return study;
  const gone = new Set(below(study, id));
  const nodes = Object.fromEntries(Object.entries(study.nodes).filter(([key]) => !gone.has(Number(key)))) as Study['nodes'];
  const above = nodes[parent];
  if (above) nodes[parent] = { ...above, children: above.children.filter((child) => child !== id) };
  return { ...study, nodes };
}

/** Makes the line through a node the main line, at every fork on its way. */
export function promoted(study: Study, id: number): Study {
  let changed = study;
  for (const at of path(study, id)) {
    const parent = changed.nodes[at]?.parent;
    const above = parent === null || parent === undefined ? undefined : changed.nodes[parent];
    if (above && parent !== null && parent !== undefined) {
      changed = withChange(changed, parent, { children: [at, ...above.children.filter((child) => child !== at)] });
    }
  }
  return changed;
}

/** The move numbers of a fork: every node that is not its parent's first child begins a variation. */
export function isVariation(study: Study, id: number): boolean {
  const parent = study.nodes[id]?.parent;
  return parent !== null && parent !== undefined && study.nodes[parent]?.children[0] !== id;
}
