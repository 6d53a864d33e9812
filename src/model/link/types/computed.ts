// `@expr`: what an attribute is computed from, which is its siblings and what relationships lead to.

import { asNumber } from '../../numeric-expression.ts';
import { aggregates, type CallExpression, type Expression, type Reference } from '../../pattern.ts';
import { isWhole, referencesIn, siblingOf } from '../../references.ts';
import { partsOf } from '../../walk.ts';
import { markValue } from '../annotations.ts';
import { linkExpression, type Surroundings } from '../expressions.ts';
import type { TypeEntry } from '../scope.ts';
import type { AttributeDraft } from './drafts.ts';
import { type Declared, isRelated, relatedPath, relationshipNames } from './related.ts';

export function linkComputation(draft: AttributeDraft, declared: Declared): Expression | undefined {
  const written = markValue(draft.marks, 'expr');
  if (written === undefined) return undefined;
  const expression = linkExpression(written, surroundings(draft, declared), declared.linking);
  checkLists(expression, draft.declaration.list ? 'list' : 'single', declared);
  const type = declared.types.typeOf(draft);
  const isNumber = type.kind === 'plain' && !draft.declaration.list && numbers.includes(type.type.column);
  return isNumber ? asNumber(expression) : expression;
}

/** Whether its value depends on other instances, itself or by way of its siblings: it may then be absent. */
export function dependsOnOthers(draft: AttributeDraft, declared: Declared, seen: Set<AttributeDraft> = new Set()): boolean {
  const { owner, marks } = draft;
  const written = markValue(marks, 'expr');
  if (written === undefined || owner.kind !== 'entity' || seen.has(draft)) return false;
  seen.add(draft);
  const siblings = (reference: Reference): readonly (AttributeDraft | undefined)[] =>
    isWhole(reference) ? declared.drafts.of(owner) : [declared.drafts.find(owner, siblingOf(reference) ?? '')];
  return referencesIn(written).some(
    (each) =>
      (!isWhole(each) && isRelated(each.path, owner, declared)) ||
      siblings(each).some((sibling) => sibling !== undefined && dependsOnOthers(sibling, declared, seen)),
  );
}

/** Around an @expr: the other attributes, bare, or behind `this` or the name of their type; of an entity also what relationships lead to. */
function surroundings({ owner }: AttributeDraft, declared: Declared): Surroundings {
  const { drafts, linking } = declared;
  const isSelf = (word: string): boolean => word === 'this' || word === owner.local || word === owner.name;
  return {
    module: owner.module,
    reference(path, span) {
      const [first = '', ...rest] = path;
      // The instance as a whole.
      if (first === 'this' && rest.length === 0 && drafts.find(owner, first) === undefined) return path;
      const own = drafts.find(owner, first) === undefined && rest.length > 0 && isSelf(first) ? rest : path;
      const [name = ''] = own;
      if (drafts.find(owner, name) === undefined) {
        const names = drafts.of(owner).map((each) => each.declaration.name.text);
        const known = owner.kind === 'entity' ? [...names, ...relationshipNames(owner, declared)] : names;
        linking.report.unknown('attribute-unknown', span, `\`${owner.local}\` has no attribute \`${name}\``, name, known);
      }
      return own;
    },
    knows: ([first = '', second = '']) =>
      drafts.find(owner, first) !== undefined || (isSelf(first) && drafts.find(owner, second) !== undefined),
    pattern(pattern) {
      const message = 'an attribute is computed from the other attributes of its instance; no pattern can stand here';
      linking.report.fault('pattern-type', pattern.span, message);
      return pattern;
    },
    ...(owner.kind === 'entity' ? outside(owner, declared) : {}),
  };
}

function outside(owner: TypeEntry, declared: Declared): Pick<Surroundings, 'related'> {
  return { related: (path, span) => relatedPath(path, span, owner, declared) };
}

/** What may stand at a place of an expression: one value, a list, or the instances that are counted. */
type Place = 'single' | 'list' | 'counted';

/** A path to any number of instances is a list, which most operators could make nothing of. */
function checkLists(expression: Expression, place: Place, declared: Declared): void {
  if (expression.kind === 'reference') checkPlace(expression, place, declared);
  if (expression.kind === 'call') checkAggregate(expression, declared);
  // Quoted data is not evaluated.
  if (expression.kind === 'quote') return;
  for (const each of partsOf(expression)) checkLists(each, placeOf(each, expression), declared);
}

function placeOf(part: Expression, whole: Expression): Place {
  switch (whole.kind) {
    case 'call':
      return argumentPlace(whole);
    case 'code':
    case 'map':
      return 'list';
    case 'binary':
      return part === whole.right && whole.operator === 'in' ? 'list' : 'single';
    default:
      return 'single';
  }
}

/** The application's own functions take lists as they are. */
function argumentPlace({ aggregate, function: called }: CallExpression): Place {
  if (aggregate !== undefined) return aggregate === 'count' ? 'counted' : 'list';
  return called === undefined ? 'single' : 'list';
}

const numbers: readonly string[] = ['integer', 'real', 'decimal'];

/** Numbers are added up; whatever has an order has a least and a greatest. */
function checkAggregate({ aggregate, arguments: [only] }: CallExpression, { drafts, types, linking }: Declared): void {
  if (aggregate === undefined || aggregate === 'count' || only?.kind !== 'reference' || only.related?.attribute === undefined) return;
  const entry = linking.scope.entries.get(only.related.entity);
  const draft = entry?.kind === 'entity' ? drafts.find(entry, only.related.attribute) : undefined;
  if (draft === undefined) return;
  const type = types.typeOf(draft);
  const column = type.kind === 'plain' && !draft.declaration.list ? type.type.column : 'json';
  const adds = aggregate === 'sum' || aggregate === 'avg';
  if (adds ? numbers.includes(column) : !['json', 'scalar', 'boolean'].includes(column)) return;
  const need = adds ? 'a number' : 'a value with an order';
  linking.report.fault('type-not-allowed', only.span, `\`${aggregate}\` needs ${need}; \`${only.path.join('.')}\` is none`);
}

function checkPlace({ related, path, span }: Reference, place: Place, { linking: { report } }: Declared): void {
  if (related === undefined || place === 'counted') return;
  const name = path.join('.');
  if (related.attribute === undefined)
    report.fault('expression-list', span, `\`${name}\` names no attribute; without one, instances can only be counted`);
  else if (related.many && place === 'single') {
    const message = `\`${name}\` is a list, as there may be many; one value of it is its ${aggregates.slice(0, -1).join(', ')} or ${aggregates.at(-1)}`;
    report.fault('expression-list', span, message, `write \`sum(${name})\``);
  }
}
