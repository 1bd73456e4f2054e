// The moves of the record: the main line down the page, variations set in beside it.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { notated, t } from '../i18n';
import { isHandicap } from '../board/shogi';
import { endingText, scoreText, spentText } from '../parts/format';
import { review } from './review';
import { current, goTo, study } from './state';
import { ply, type Node, type Study } from './tree';

function label(node: Node): string {
  if (node.end) return endingText(node.end, undefined, isHandicap(study.value.start));
  return node.ja && node.en ? notated({ ja: node.ja, en: node.en }) : (node.move ?? '');
}

function grades(): Map<number, string> {
  const found = new Map<number, string>();
  for (const mistake of review.value.mistakes) {
    const id = review.value.nodes[mistake.ply];
    if (id !== undefined) found.set(id, mistake.grade);
  }
  return found;
}

const SIGNS: Record<string, string> = { inaccuracy: '?!', mistake: '?', blunder: '??' };

function Move({ id, node, number, grade }: { id: number; node: Node; number: number; grade: string | undefined }) {
  return (
    <button type="button" class={`tree-move ${grade ?? ''}`} aria-current={id === current.value ? 'true' : undefined} onClick={() => goTo(id)} data-node={id}>
      {node.move && <span class="ply">{number}</span>}
      <span class="text">{label(node)}{grade ? ` ${SIGNS[grade] ?? ''}` : ''}{node.bookmark ? ' ⚑' : ''}</span>
      {node.eval && <span class="spent">{scoreText(node.eval.score)}</span>}
      {node.ms !== undefined && <span class="spent">{spentText(node.ms)}</span>}
    </button>
  );
}

/** One line from a node to its end, with what branches off on the way. */
function Branch({ from, first, marks, depth }: { from: Study; first: number; marks: Map<number, string>; depth: number }) {
  const rows: ComponentChildren[] = [];
  let number = ply(from, first);
  for (let id: number | undefined = first; id !== undefined; ) {
    const node: Node | undefined = from.nodes[id];
    if (!node) break;
    rows.push(
      <li key={id}>
        <Move id={id} node={node} number={number} grade={marks.get(id)} />
        {node.comments && node.comments.length > 0 && <p class="comment">{node.comments.join(' / ')}</p>}
      </li>,
    );
    const siblings: number[] = node.parent === null || id === first ? [] : (from.nodes[node.parent]?.children.slice(1) ?? []);
    for (const sibling of siblings) rows.push(<li key={`v${sibling}`} class="variation"><Branch from={from} first={sibling} marks={marks} depth={depth + 1} /></li>);
    id = node.children[0];
    number += 1;
  }
  return <ol class={`branch depth-${Math.min(depth, 4)}`}>{rows}</ol>;
}

export function TreeView() {
  const place = useRef<HTMLDivElement>(null);
  const now = study.value;
  const root = now.nodes[0];
  useEffect(() => {
    const mark = place.current?.querySelector<HTMLElement>('[aria-current]');
    if (mark && place.current) place.current.scrollTop = mark.offsetTop - place.current.clientHeight / 2;
  }, [current.value]);
  const marks = grades();
  return (
    <div class="tree" ref={place} tabIndex={0} role="group" aria-label={t('tree.label')}>
      <button type="button" class="tree-move" aria-current={current.value === 0 ? 'true' : undefined} onClick={() => goTo(0)} data-node={0}>
        <span class="ply">0</span><span class="text">{t('tree.start')}</span>{root?.eval && <span class="spent">{scoreText(root.eval.score)}</span>}
      </button>
      {root?.comments && root.comments.length > 0 && <p class="comment">{root.comments.join(' / ')}</p>}
      {root?.children.map((child, index) => (
        index === 0 ? <Branch key={child} from={now} first={child} marks={marks} depth={0} />
          : <div key={child} class="variation"><Branch from={now} first={child} marks={marks} depth={1} /></div>
      ))}
    </div>
  );
}
