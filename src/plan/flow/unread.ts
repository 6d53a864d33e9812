// Which steps give something that nobody looks at afterwards, so that the store need not give it back, and nobody holds it.

import type { Statement } from '../../model/pattern.ts';
import { someNode } from '../../model/walk.ts';
import type { FlowStep } from './flow.ts';

/** The steps of a flow; the last one is its result. */
export function withUnread(steps: readonly FlowStep[], statements: readonly Statement[]): readonly FlowStep[] {
  return steps.map((step, index) => {
    const later = statements.slice(index + 1);
    const { action } = step;
    if (later.length === 0 || step.as !== undefined || step.then !== undefined || step.handles) return step;
    if (action.kind === 'create' && action.row !== undefined && !isNamed(later, action.plan.type)) {
      const { insert } = action.plan.shapes;
      return { ...step, action: { ...action, unread: { ...insert, output: nothing } } };
    }
    if (action.kind === 'for') return { ...step, action: { ...action, unread: true } };
    const isAlias = action.kind === 'change-alias' && action.target.length === 1 && action.links.length === 0;
    return isAlias && !isNamed(later, action.target[0] ?? '') ? { ...step, action: { ...action, unread: true } } : step;
  });
}

const nothing = Object.freeze({ fields: [], columns: [] });

/** Whether a name stands anywhere in statements: code and quoted data may name anything. */
function isNamed(statements: readonly Statement[], name: string): boolean {
  return someNode(statements, (node) => {
    if (node.kind === 'reference') return node.path[0] === name;
    if (node.kind === 'instance') return node.target?.[0] === name;
    return node.kind === 'code' || node.kind === 'quote';
  });
}
