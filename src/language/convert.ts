// In charge of writing a unit of one surface in the other, and of saying what the other has no form for.

import type { Annotation, AttributeDeclaration, Comment, Declaration, Unit } from '../model/declaration.ts';
import { asNumber } from '../model/numeric-expression.ts';
import { aggregates, type CallExpression } from '../model/pattern.ts';
import { findAttributeType } from '../model/types/types.ts';
import { eachNode, type Node } from '../model/walk.ts';
import type { Span } from '../source.ts';
import { printUnit as printCurrent } from './current/print/print.ts';
import { hasForm, printUnit as printEarlier } from './earlier/print/print.ts';
import { isProperty } from './earlier/print/type.ts';

export type Surface = 'current' | 'earlier';

export interface Converted {
  readonly text: string;
  /** What has no counterpart, and is therefore not in the text, or only as a comment. */
  readonly missing: readonly Missing[];
}

export interface Missing {
  readonly what: string;
  readonly span: Span;
}

/** `others` are the units of the same project, whose relationships this one may name. */
export function convertUnit(unit: Unit, to: Surface, others: readonly Unit[] = []): Converted {
  const missing: Missing[] = [];
  const comments = [...unit.comments];
  const declarations = unit.declarations.flatMap((declaration): readonly Declaration[] => {
    const reasons = to === 'earlier' ? notInEarlier(declaration) : notInCurrent(declaration);
    missing.push(...reasons);
    if (reasons.length > 0) {
      comments.push(asComment(declaration.span, reasons));
      return [];
    }
    const plain = withPlainSums(declaration);
    return [to === 'earlier' ? withoutForms(plain, missing) : withoutCode(plain, missing, comments, aggregatesIn(unit, others))];
  });
  const { moduleOptions, ...rest } = unit;
  if (moduleOptions !== undefined && to === 'current') missing.push({ what: 'options of the component', span: moduleOptions.span });
  const kept = { ...(to === 'earlier' ? unit : rest), declarations, comments: inOrder(comments) };
  return { text: to === 'earlier' ? printEarlier(kept) : printCurrent(kept), missing };
}

/** What is computed for a number adds numbers anyway, so that neither syntax has to say so. */
function withPlainSums(declaration: Declaration): Declaration {
  if (!('attributes' in declaration)) return declaration;
  const attributes = declaration.attributes.map((each) => {
    const type = each.list ? undefined : findAttributeType(each.type?.text.replace(/^.*\//, '') ?? '');
    if (type?.column !== 'integer' && type?.column !== 'decimal' && type?.column !== 'real') return each;
    return { ...each, annotations: each.annotations.map(withPlainSum) };
  });
  return { ...declaration, attributes };
}

function withPlainSum(annotation: Annotation): Annotation {
  if (annotation.kind !== 'plain' || annotation.name.text !== 'expr') return annotation;
  return { ...annotation, arguments: annotation.arguments.map(asNumber) };
}

function inOrder(comments: readonly Comment[]): readonly Comment[] {
  // Comments inside of what has become one itself are part of it.
  const sorted = [...comments].sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end);
  let end = 0;
  return sorted.filter(({ span }) => {
    const inside = span.end <= end;
    end = Math.max(end, span.end);
    return !inside;
  });
}

/** What could not be written stays readable, where it stood. */
function asComment(span: Span, reasons: readonly Missing[]): Comment {
  const lines = span.source.text.slice(span.start, span.end).split(/\r?\n/);
  const why = `Without a counterpart here (${reasons.map((each) => each.what).join(', ')}):`;
  return { text: `/* ${[why, ...lines].map((line) => line.replaceAll('*/', '* /')).join('\n')} */`, span };
}

function notInEarlier(declaration: Declaration): readonly Missing[] {
  if (!hasForm(declaration)) return [{ what: declaration.kind, span: declaration.span }];
  const both = declaration.kind === 'workflow' && declaration.name !== undefined && declaration.trigger !== undefined;
  return both ? [{ what: 'a workflow on an event and a trigger', span: declaration.span }] : [];
}

/** Annotations that mean nothing, and so have no form. */
function withoutForms(declaration: Declaration, missing: Missing[]): Declaration {
  const said = (annotations: readonly Annotation[], keeps: (each: Annotation) => boolean) =>
    annotations.filter((each) => {
      if (!keeps(each)) missing.push({ what: `@${each.name.text}`, span: each.span });
      return keeps(each);
    });
  const attributes = (all: readonly AttributeDeclaration[]) =>
    all.map((each) => ({ ...each, annotations: said(each.annotations, isProperty) }));
  const isWhole = (each: Annotation) => each.kind !== 'actions' && !['array', 'object', 'fk', 'withRole'].includes(each.name.text);
  switch (declaration.kind) {
    case 'entity':
    case 'record':
    case 'event':
      return { ...declaration, attributes: attributes(declaration.attributes), annotations: said(declaration.annotations, isWhole) };
    case 'relationship':
      return {
        ...declaration,
        attributes: attributes(declaration.attributes),
        bodyAnnotations: said(declaration.bodyAnnotations, isWhole),
      };
    case 'workflow':
      return { ...declaration, annotations: said(declaration.annotations, ({ name }) => ofDataflows.has(name.text)) };
    default:
      return declaration;
  }
}

/** What stands in the head of a dataflow too. */
const ofDataflows: ReadonlySet<string> = new Set(['rbac', 'schedule', 'internal', 'runAs']);

const kinds: ReadonlyMap<string, string> = new Map([
  ['rule', 'rule'],
  ['code', 'a function'],
  ['foreign', 'a form without behaviour'],
]);

const parts: ReadonlyMap<string, string> = new Map([
  ['code', 'code'],
  ['quote', 'quoted data'],
  ['unquote', 'quoted data'],
  ['await', ':await'],
  ['path', 'a path query'],
  ['query', 'a query object'],
  ['rethrow', ':rethrow-after'],
]);

function notInCurrent(declaration: Declaration): readonly Missing[] {
  const kind = kinds.get(declaration.kind);
  if (kind !== undefined) return [{ what: kind, span: declaration.span }];
  if (declaration.kind === 'workflow') {
    const condition = declaration.condition === undefined ? [] : [{ what: 'a conditional event', span: declaration.condition.span }];
    return [...condition, ...missingIn(declaration.body, declaration.span)];
  }
  if (declaration.kind === 'resolver') {
    const isCode = declaration.methods.some((each) => 'kind' in each.function);
    const reasons = isCode ? ['functions in Clojure'] : [];
    return [...reasons, ...(declaration.options === undefined ? [] : ['settings of a resolver'])].map((what) => ({
      what,
      span: declaration.span,
    }));
  }
  return declaration.kind === 'startup' ? missingIn([declaration.statement], declaration.span) : [];
}

/** What of it only the earlier surface has, each kind of thing once. */
function missingIn(nodes: readonly Node[], span: Span, isOurs: IsOurs = () => false): readonly Missing[] {
  const found = new Set<string>();
  eachNode(nodes, (node) => {
    for (const what of onlyInEarlier(node, isOurs)) found.add(what);
  });
  return [...found].map((what) => ({ what, span }));
}

function onlyInEarlier(node: Node, isOurs: IsOurs): readonly string[] {
  switch (node.kind) {
    case 'eval':
      return [node.check === undefined ? ':eval of an event' : ':eval with :check'];
    case 'call':
      return node.function?.language === undefined || isOurs(node) ? [] : ['a function in Clojure'];
    case 'instance':
      return [
        ...(node.links === undefined ? [] : ['a relationship pattern (:->)']),
        ...(node.options.ignored === undefined ? [] : ['an option without effect']),
        ...(node.options.withTypes === undefined ? [] : ['an event with other types (:with-types)']),
      ];
    default: {
      const what = node.kind && parts.get(node.kind);
      return what === undefined ? [] : [what];
    }
  }
}

/** Whether a call that looks like one of Clojure is one of the service's own. */
type IsOurs = (call: CallExpression) => boolean;

/** `(sum :OrderLine.Line.amount)`: of a path along a relationship, where the file has no such function of its own. */
function aggregatesIn(unit: Unit, others: readonly Unit[]): IsOurs {
  const names = ({ declarations }: Unit, kind: string) =>
    declarations.flatMap((each) => (each.kind === kind && 'name' in each ? [each.name?.text ?? ''] : []));
  const qualified = [unit, ...others].flatMap((each) => names(each, 'relationship').map((name) => `${each.module?.text ?? ''}/${name}`));
  const [relationships, functions] = [new Set([...names(unit, 'relationship'), ...qualified]), new Set(names(unit, 'code'))];
  return ({ name: { text }, arguments: [only, ...more] }) => {
    const path = only?.kind === 'reference' && more.length === 0 ? only.path : [];
    return path.slice(0, 2).some((each) => relationships.has(each)) && aggregates.some((each) => each === text) && !functions.has(text);
  };
}

/** Functions in Clojure stay behind; what is said in words becomes a comment. */
function withoutCode(declaration: Declaration, missing: Missing[], comments: Comment[], isOurs: IsOurs): Declaration {
  const keeps = (each: Annotation) => {
    const reasons = each.kind === 'plain' ? missingIn(each.arguments, each.span, isOurs) : [];
    missing.push(
      ...reasons.map(({ span, what }) => ({
        what: `${what} in ${span.source.text.slice(each.name.span.start, each.name.span.end)}`,
        span,
      })),
    );
    if (reasons.length > 0) comments.push(asComment(each.span, reasons));
    return reasons.length === 0;
  };
  const attributes = (all: readonly AttributeDeclaration[]) =>
    all.map((each) => ({ ...each, annotations: each.annotations.filter(keeps) }));
  switch (declaration.kind) {
    case 'entity':
    case 'record':
    case 'event':
    case 'relationship':
      return { ...declaration, attributes: attributes(declaration.attributes) };
    case 'attribute':
      return { ...declaration, annotations: declaration.annotations.filter(keeps) };
    case 'workflow': {
      const { documentation, ...rest } = declaration;
      if (documentation !== undefined) comments.push({ text: `/* ${String(documentation.value)} */`, span: documentation.span });
      return rest;
    }
    default:
      return declaration;
  }
}
