// The one table of annotations: where each may stand, what it takes, and whether it has an effect.

import type { Span } from '../../source.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import type { Value, Values } from '../../values/value.ts';
import type { Annotation } from '../declaration.ts';
import type { FacetType } from '../facets/facet.ts';
import { facetTypes } from '../facets/facets.ts';
import type { FaultReport } from '../fault-report.ts';
import { literalMap, literalText, literalValue } from '../literals.ts';
import type { Expression, Name } from '../pattern.ts';

export type AnnotationTarget =
  | 'entity'
  | 'record'
  | 'event'
  | 'contains'
  | 'between'
  | 'workflow'
  | 'agent'
  | 'attribute of an entity'
  | 'attribute of a record'
  | 'attribute of an event'
  | 'attribute of a relationship'
  /** One that extends an entity; a named type of attributes is checked as the attribute of an entity. */
  | 'named attribute';

interface Rule {
  readonly on: readonly AnnotationTarget[];
  readonly takes: Shape;
  readonly repeatable?: true;
  /** Accepted with a warning, because models in the wild write it. */
  readonly ignored?: true;
  /** Where it may stand besides, accepted with a warning. */
  readonly ignoredOn?: readonly AnnotationTarget[];
}

/** What stands behind the name: each with the words that a fault uses. */
const shapes = {
  nothing: 'no arguments',
  value: 'one value',
  text: 'one text',
  literals: 'texts, numbers or truth values',
  boolean: 'true or false',
  map: 'a map of plain values with distinct keys',
  name: 'one name',
  names: 'names',
  integer: 'one whole number',
  attribute: 'an attribute, as in Entity.attribute',
  function: 'a function, as in rates.valid',
  rules: 'a list of rules',
  actions: 'operations with events',
  ends: 'two ends, as in To -> From',
  anything: 'anything',
} as const;

type Shape = keyof typeof shapes;

const attributes: readonly AnnotationTarget[] = [
  'attribute of an entity',
  'attribute of a record',
  'attribute of an event',
  'attribute of a relationship',
];
const kept: readonly AnnotationTarget[] = ['attribute of an entity', 'attribute of a record', 'attribute of a relationship'];
const stored: readonly AnnotationTarget[] = ['attribute of an entity', 'attribute of a relationship'];
const extensions: readonly AnnotationTarget[] = ['named attribute'];
const types: readonly AnnotationTarget[] = ['entity', 'record', 'event', 'contains', 'between'];

const table = {
  id: { on: kept, takes: 'nothing', ignoredOn: ['attribute of an event'] },
  guid: { on: kept, takes: 'nothing', ignoredOn: ['attribute of an event'] },
  optional: { on: [...attributes, ...extensions], takes: 'nothing' },
  default: { on: attributes, takes: 'value' },
  unique: { on: kept, takes: 'nothing' },
  indexed: { on: kept, takes: 'nothing' },
  fulltext: { on: kept, takes: 'nothing' },
  readonly: { on: kept, takes: 'nothing' },
  writeonly: { on: attributes, takes: 'nothing' },
  secret: { on: attributes, takes: 'nothing' },
  autoincrement: { on: kept, takes: 'nothing' },
  check: { on: attributes, takes: 'function' },
  expr: { on: kept, takes: 'value' },
  enum: { on: attributes, takes: 'literals' },
  oneof: { on: attributes, takes: 'attribute' },
  ref: { on: attributes, takes: 'attribute' },
  comment: { on: attributes, takes: 'text' },
  meta: { on: [...attributes, ...types], takes: 'map' },
  was: { on: [...stored, 'entity', 'contains', 'between'], takes: 'text' },
  rbac: { on: ['entity', 'contains', 'between', 'event', 'workflow', 'agent', 'attribute of an entity'], takes: 'rules' },
  profile: { on: ['entity'], takes: 'name' },
  schedule: { on: ['event', 'workflow'], takes: 'text' },
  internal: { on: ['event', 'workflow', 'agent'], takes: 'nothing' },
  runAs: { on: ['event', 'workflow'], takes: 'name' },
  with_unique: { on: ['entity', 'between'], takes: 'names', repeatable: true },
  before: { on: ['entity', 'between'], takes: 'actions', repeatable: true },
  after: { on: ['entity', 'between'], takes: 'actions', repeatable: true },
  required: { on: ['entity', 'record', 'event'], takes: 'names' },
  cascade: { on: ['contains', ...stored], takes: 'boolean' },
  inherit: { on: ['contains'], takes: 'nothing' },
  one_one: { on: ['between'], takes: 'nothing' },
  one_many: { on: ['between'], takes: 'nothing' },
  many_many: { on: ['between'], takes: 'nothing' },
  owner: { on: ['between'], takes: 'name' },
  assign: { on: ['between'], takes: 'ends' },
  extend: { on: [...extensions], takes: 'name' },
  relationship: { on: [...extensions], takes: 'name' },
  order: { on: [...extensions], takes: 'integer' },
  eval: { on: attributes, takes: 'anything', ignored: true },
  parse: { on: attributes, takes: 'anything', ignored: true },
  writer: { on: attributes, takes: 'anything', ignored: true },
  var: { on: attributes, takes: 'anything', ignored: true },
  type_in_store: { on: attributes, takes: 'anything', ignored: true },
  setof: { on: attributes, takes: 'anything', ignored: true },
  actions: { on: types, takes: 'anything', ignored: true },
  array: { on: attributes, takes: 'anything', ignored: true },
  object: { on: attributes, takes: 'anything', ignored: true },
  fk: { on: attributes, takes: 'anything', ignored: true },
} as const satisfies Record<string, Rule>;

type AnnotationName = keyof typeof table;

/** Those that say something of values are described where they mean something: `model/facets`. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...Object.entries(table),
  ...facetTypes.map(({ name, takes }): [string, Rule] => [name, { on: attributes, takes }]),
]);

/** The annotations of one declaration that may stand there and are well formed. */
export type Marks = readonly Annotation[];

export function readAnnotations(annotations: readonly Annotation[], place: AnnotationTarget, report: FaultReport): Marks {
  const isGood = (annotation: Annotation, index: number) => {
    const rule = ruleOf(annotation, place, report);
    if (rule === undefined || rule.repeatable === true) return rule !== undefined;
    const name = annotation.name.text;
    const isFirst = annotations.findIndex((each) => each.name.text === name) === index;
    if (!isFirst) report.fault('annotation-repeated', annotation.span, `\`${wordOf(annotation)}\` stands here twice`);
    return isFirst;
  };
  return annotations.length === 0 ? annotations : annotations.filter(isGood);
}

/** The rule of an annotation that has an effect here; everything else is reported. */
function ruleOf(annotation: Annotation, place: AnnotationTarget, report: FaultReport): Rule | undefined {
  const name = annotation.name.text;
  const rule = rules.get(name);
  if (name === 'withRole') {
    report.fault('role-assumed', annotation.span, 'a workflow runs with the rights of its caller, never with those of another role');
  } else if (rule === undefined) {
    report.unknown(
      'annotation-unknown',
      annotation.name.span,
      `there is no annotation \`${wordOf(annotation)}\``,
      `@${name}`,
      annotationNames(),
    );
  } else if (rule.ignored === true || rule.ignoredOn?.includes(place) === true) {
    report.fault('annotation-ignored', annotation.span, `\`${wordOf(annotation)}\` is accepted, but has no effect`);
  } else if (!rule.on.includes(place)) {
    report.fault(
      'annotation-misplaced',
      annotation.span,
      `\`${wordOf(annotation)}\` cannot stand here (${place}); it belongs on: ${placesOf(rule)}`,
    );
  } else if (!hasShape(annotation, rule.takes)) {
    report.fault('annotation-argument', annotation.span, `\`${wordOf(annotation)}\` takes ${shapes[rule.takes]}`);
  } else {
    return rule;
  }
  return undefined;
}

/** As its author wrote it: `@unique`, `:unique`. */
export function wordOf({ name }: Annotation): string {
  const written = name.span.source.text.slice(name.span.start, name.span.end);
  return written.startsWith(':') ? written : `@${name.text}`;
}

function annotationNames(): readonly string[] {
  return [...rules.keys()].map((each) => `@${each}`);
}

function placesOf({ on }: Rule): string {
  const someAttributes = attributes.some((each) => !on.includes(each));
  return (someAttributes ? on : ['attribute', ...on.filter((each) => !attributes.includes(each))]).join(', ');
}

function hasShape(annotation: Annotation, shape: Shape): boolean {
  if (annotation.kind === 'rbac') return shape === 'rules';
  if (annotation.kind === 'trigger') return shape === 'actions';
  if (annotation.kind === 'assign') return shape === 'ends';
  if (annotation.kind === 'actions') return shape === 'anything';
  const given = annotation.arguments;
  const [first] = given;
  switch (shape) {
    case 'nothing':
      return given.length === 0;
    case 'value':
      return given.length === 1;
    case 'text':
      return given.length === 1 && literalText(first) !== undefined;
    case 'literals':
      return given.every((each) => isPlain(literalValue(each)));
    case 'integer':
      return given.length === 1 && Number.isSafeInteger(first === undefined ? undefined : literalValue(first));
    case 'boolean':
      return given.length === 1 && first?.kind === 'literal' && typeof first.value === 'boolean';
    case 'map':
      return given.length === 1 && literalMap(first) !== undefined;
    case 'name':
      return given.length === 1 && first?.kind === 'reference' && first.path.length === 1;
    case 'names':
      return given.length > 0 && given.every((each) => each.kind === 'reference' && each.path.length === 1);
    case 'attribute':
      return given.length === 1 && first?.kind === 'reference' && first.path.length === 2;
    case 'function':
      return given.length === 1 && (first?.kind === 'code' || (first?.kind === 'reference' && first.path.length === 2));
    case 'anything':
      return true;
    default:
      return false;
  }
}

function isPlain(value: Value | undefined): boolean {
  return value !== undefined && value !== null && (typeof value !== 'object' || value instanceof ExactNumber);
}

// A handful of annotations is searched faster than it is indexed.

export function hasMark(marks: Marks, name: AnnotationName): boolean {
  return mark(marks, name) !== undefined;
}

export function mark(marks: Marks, name: AnnotationName): Annotation | undefined {
  return marks.find((each) => each.name.text === name);
}

export function facetMark(marks: Marks, { name }: FacetType): Annotation | undefined {
  return marks.find((each) => each.name.text === name);
}

export function marksCalled(marks: Marks, name: AnnotationName): Marks {
  return marks.filter((each) => each.name.text === name);
}

export function markSpan(marks: Marks, name: AnnotationName): Span | undefined {
  return mark(marks, name)?.span;
}

export function markValue(marks: Marks, name: AnnotationName): Expression | undefined {
  return markArguments(marks, name)?.[0];
}

export function markText(marks: Marks, name: AnnotationName): string | undefined {
  return literalText(markValue(marks, name));
}

/** The arguments as plain values. */
export function markLiterals(marks: Marks, name: AnnotationName): readonly Value[] | undefined {
  return markArguments(marks, name)?.flatMap((each) => literalValue(each) ?? []);
}

/** The arguments, where all of them are texts. */
export function markTexts(marks: Marks, name: AnnotationName): readonly string[] | undefined {
  const found = markArguments(marks, name);
  const texts = found?.flatMap((each) => literalText(each) ?? []);
  return texts?.length === found?.length ? texts : undefined;
}

/** The arguments that are plain names. */
export function markNames(marks: Marks, name: AnnotationName): readonly Name[] | undefined {
  return markArguments(marks, name)?.flatMap((each) => (each.kind === 'reference' ? [{ text: each.path.join('.'), span: each.span }] : []));
}

export function markBoolean(marks: Marks, name: AnnotationName): boolean | undefined {
  const value = markValue(marks, name);
  return value?.kind === 'literal' && typeof value.value === 'boolean' ? value.value : undefined;
}

export function markMap(marks: Marks, name: AnnotationName): Values {
  return literalMap(markValue(marks, name)) ?? noValues;
}

export const noValues: Values = Object.freeze({});

/** Where a value stands for the second time, or -1. */
export function repeatedAt(values: readonly Value[]): number {
  return new Set(values).size < values.length ? values.findIndex((each, index) => values.indexOf(each) < index) : -1;
}

export function markArguments(marks: Marks, name: AnnotationName): readonly Expression[] | undefined {
  return argumentsOf(mark(marks, name));
}

export function argumentsOf(annotation: Annotation | undefined): readonly Expression[] | undefined {
  return annotation?.kind === 'plain' ? annotation.arguments : undefined;
}
