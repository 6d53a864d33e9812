// Reads an instance with everything it contains: one statement per type, put together by keys.

import { error } from '../errors.ts';
import type { Condition } from '../plan/condition.ts';
import { below } from '../plan/keys.ts';
import type { ContainsPlan, EntityPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import { reachable } from './contained.ts';
import { versionOf, withNested } from './insert.ts';
import { keyText, locate } from './locate.ts';
import type { Operation, Reading, Result } from './operation.ts';
import type { Handler } from './seams.ts';

type Tree = Extract<Operation, { kind: 'tree' }>;

interface Node {
  readonly plan: EntityPlan;
  readonly key: string;
  readonly json: string;
}

export const tree: Handler<Tree> = ({ at }, context) => ({
  transaction: 'read',
  async run(tx): Promise<Result> {
    const { plan } = at.in;
    const located = await locate(at, tx);
    const row = await tx.one(plan.shapes.byKey, [located.key]);
    if (row === undefined) throw error('instance-not-found');
    const json = plan.kind === 'entity' ? await treeOf(plan, keyText(located), row.json, { ...context, tx }) : row.json;
    return { kind: 'instance', json, version: versionOf(row), created: undefined };
  },
});

async function treeOf(plan: EntityPlan, key: string, json: string, context: Reading): Promise<string> {
  const nodes = new Map<string, Node[]>();
  let left = context.limits.tree.instances;
  for (const contains of reachable(plan)) {
    const found = await nodesBelow(contains, key, left + 1, context);
    left -= found.length;
    if (left < 0) throw error('tree-too-large');
    for (const node of found) {
      const place = parentPlace(node.key);
      const siblings = nodes.get(place);
      if (siblings === undefined) nodes.set(place, [node]);
      else siblings.push(node);
    }
  }
  return nested({ plan, key, json }, nodes, context.limits.tree.depth);
}

/** Children of every relationship stand in their parent's object, an empty list where there are none. */
function nested(node: Node, nodes: ReadonlyMap<string, readonly Node[]>, depth: number): string {
  if (depth < 0) throw error('tree-too-large');
  const members = node.plan.children.map((contains) => {
    const children = nodes.get(`${node.key}\u0001${contains.contains.name}`) ?? [];
    return { name: contains.contains.local, json: `[${children.map((child) => nested(child, nodes, depth - 1)).join(',')}]` };
  });
  return withNested(node.json, members);
}

async function nodesBelow(contains: ContainsPlan, key: string, limit: number, context: Reading): Promise<readonly Node[]> {
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
  const rows = await context.tx.rows(select, [from, to, limit]);
  return rows.map((row) => ({ plan: child, key: String(row.columns[1]), json: row.json }));
}

/** The key of the parent and the relationship: what stands before the last separator. */
function parentPlace(key: string): string {
  return key.slice(0, key.lastIndexOf('\u0001'));
}
