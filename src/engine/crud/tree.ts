// Reads an instance with everything it contains: one statement per type, put together by keys.

import { error } from '../../errors.ts';
import type { ContainsPlan, EntityPlan } from '../../plan/plan.ts';
import type { Condition } from '../../plan/query/condition.ts';
import { plainView, wholeSelection } from '../../plan/query/selection.ts';
import type { Select } from '../../plan/query/shape.ts';
import { below } from '../../plan/rows/keys.ts';
import type { Row } from '../../store/store.ts';
import { keyText } from '../address/address.ts';
import { reachable } from '../address/contained.ts';
import { inTransaction } from '../context.ts';
import { rowCondition, visibleRows } from '../instances/guard.ts';
import { versionOf } from '../instances/insert.ts';
import { reach, readable } from '../instances/readable.ts';
import { furtherRead, holdBytes } from '../memory.ts';
import type { Instance, Nested, Operation, ReadContext, Result } from '../operation.ts';
import type { Prepare } from '../seams.ts';
import { instanceOf, linkedSelect } from './read.ts';

type Tree = Extract<Operation, { kind: 'tree' }>;

interface Node {
  readonly key: string;
  readonly row: Row;
}

/** Nodes by the key of their parent and the relationship in which they stand. */
type Nodes = ReadonlyMap<string, readonly Node[]>;

export const tree: Prepare<Tree> = ({ at }, context) => ({
  transaction: 'read',
  consistent: true,
  repeatable: () => true,
  async run(tx): Promise<Result> {
    const { plan } = at.in;
    rowCondition('read', plan, context);
    const located = await reach(at, tx, context);
    const reader = readable(tx, context);
    const linked = linkedSelect(located, wholeSelection(plainView, located.link?.way.field), visibleRows(context));
    const row = await (linked === undefined ? reader.one(plan.shapes.byKey, [located.key]) : reader.one(linked.select, linked.values));
    if (row === undefined || plan.kind === 'link') return instanceOf(plan, row);
    const key = keyText(located);
    const nodes = await nodesOf(plan, key, row.json.length, inTransaction(context, tx));
    return { kind: 'instance', instance: grown(plan, { key, row }, nodes, context.limits.tree.depth), created: undefined };
  },
});

/** `size` is that of the root. */
async function nodesOf(plan: EntityPlan, key: string, size: number, context: ReadContext): Promise<Nodes> {
  const nodes = new Map<string, Node[]>();
  const { instances, bytes } = context.limits.tree;
  const left = { instances, bytes: bytes - size };
  for (const contains of reachable(plan)) {
    let rows = fewestRows;
    for (let after: string | undefined, isMore = true; isMore; ) {
      const found = await nodesBelow(contains, { key, after }, rows, context);
      for (const node of found) add(node, nodes, left);
      const held = bytes - left.bytes;
      holdBytes(held, context, Math.min(bytes, held * furtherRead));
      after = found.at(-1)?.key;
      isMore = found.length === rows;
      // As many as would be a small part of what may be held, were they all like these.
      rows = Math.max(
        1,
        Math.min(mostRows, 4 * rows, Math.floor((rows * portion) / found.reduce((sum, { row }) => sum + row.json.length, 1))),
      );
    }
  }
  return nodes;
}

/** Rows that are read together: at first, and at the most; and the bytes that they should be. */
const fewestRows = 8;
const mostRows = 2000;
const portion = 262_144;

function add(node: Node, nodes: Map<string, Node[]>, left: { instances: number; bytes: number }): void {
  left.instances -= 1;
  left.bytes -= Buffer.byteLength(node.row.json);
  if (left.instances < 0 || left.bytes < 0) throw error('tree-too-large');
  const place = parentPlace(node.key);
  const siblings = nodes.get(place);
  if (siblings === undefined) nodes.set(place, [node]);
  else siblings.push(node);
}

function grown(plan: EntityPlan, { key, row }: Node, nodes: Nodes, depth: number): Instance {
  if (depth < 0) throw error('tree-too-large');
  const nested = plan.children.map(({ contains, name, child }): Nested => {
    const children = nodes.get(`${key}\u0001${contains.name}`) ?? [];
    return {
      relationship: { name, local: contains.local },
      single: false,
      instances: children.map((node) => grown(child, node, nodes, depth - 1)),
    };
  });
  return { plan, json: row.json, version: versionOf(row), nested };
}

/** Those behind `after`, which is one of them. */
async function nodesBelow(
  contains: ContainsPlan,
  { key, after }: { readonly key: string; readonly after: string | undefined },
  limit: number,
  context: ReadContext,
): Promise<readonly Node[]> {
  const { child } = contains;
  const { from, to } = below(key);
  const where: Condition = {
    kind: 'and',
    conditions: [
      { kind: 'compare', column: child.key, operator: 'gt' },
      { kind: 'compare', column: child.key, operator: 'lt' },
      { kind: 'compare', column: contains.column, operator: 'not-null' },
    ],
  };
  const select: Select = { ...child.shapes.byKey, where, order: [{ column: child.key, descending: false }], limit: true };
  const rows = await readable(context.tx, context).rows(select, [after ?? from, to, limit]);
  return rows.map((row) => ({ key: String(row.columns[1]), row }));
}

/** The key of the parent and the relationship: what stands before the last separator. */
function parentPlace(key: string): string {
  return key.slice(0, key.lastIndexOf('\u0001'));
}
