// Patterns that create, query, update or delete instances, or call an event.

import type { Relationship, TypeName } from '../../model.ts';
import {
  type Expression,
  type InstancePattern,
  isQuery,
  type LinkPattern,
  type Name,
  type NestedPattern,
  type PatternAttribute,
} from '../../pattern.ts';
import { linkExpression } from '../expressions.ts';
import { type BuiltinEntry, type Entry, kindOf, lookUp, lookUpAsked, qualified, reportUnknown } from '../scope.ts';
import { checkAttribute, linkPatternAttribute } from './columns.ts';
import { attributesOf, checkAsked, type Environment, isReference, type Logic, resolveReference, withColumns } from './environment.ts';
import { linkOptions } from './options.ts';
import { linkSubstitution } from './with-types.ts';

export function linkInstance(pattern: InstancePattern, environment: Environment, logic: Logic): InstancePattern {
  const target = findTarget(pattern.type, environment, logic);
  if (target !== undefined) return linkChange(pattern, target, environment, logic);
  const entry = substituted(findType(pattern.type, environment, logic), environment, logic);
  const type = entry?.name ?? pattern.type.text;
  // An agent has no columns, and its name may be that of the event.
  const inside = entry?.kind === 'agent' ? environment : withColumns(environment, [{ written: pattern.type.text, name: type }]);
  if (entry !== undefined) checkUse(pattern, entry, logic);
  const linked = {
    ...pattern,
    type: { ...pattern.type, text: type },
    options: linkOptions(pattern, type, inside, logic, linkValue),
    ...substitutionOf(pattern, type, environment, logic),
    nested: pattern.nested.map((each) => linkNested(each, entry, inside, logic)),
    ...(pattern.links === undefined ? {} : { links: pattern.links.map((each) => linkLink(each, entry, inside, logic)) }),
  };
  // In an update the bare name of an attribute is what the row holds before.
  const known = isQuery(pattern) && entry !== undefined ? attributesOf(type, logic) : undefined;
  const changing = known === undefined ? inside : { ...inside, changed: { owner: [type], has: (name: string) => known.has(name) } };
  const attributes = pattern.attributes.map((each) =>
    linkPatternAttribute(
      withFound(withMessage(each, entry, environment), type, environment),
      entry === undefined ? undefined : type,
      changing,
      logic,
      linkValue,
    ),
  );
  if (entry !== undefined) checkAttributes(pattern, type, logic);
  environment.instances.add(type);
  return { ...linked, attributes };
}

/** `{:T {:Size 9}}`, where `T` is an alias: what it holds is changed. Types come first: an alias may be called as one. */
function findTarget(name: Name, environment: Environment, logic: Logic): readonly string[] | undefined {
  if (lookUp(name.text, environment.module, logic.linking.scope) !== undefined) return undefined;
  const slash = name.text.indexOf('/');
  const [first = '', ...rest] = name.text.slice(slash + 1).split('.');
  const path = [name.text.slice(0, slash + 1) + first, ...rest];
  const { event, trigger } = environment;
  // What is going to be stored may still be changed by what runs before.
  if (trigger !== undefined && path.length === 1 && (first === 'this' || first === 'Instance')) return ['this'];
  const known = environment.bound.has(path[0] ?? '') || (rest.length > 0 && (path[0] === event?.local || path[0] === event?.name));
  return known ? resolveReference(path, name.span, environment, logic) : undefined;
}

function linkChange(pattern: InstancePattern, target: readonly string[], environment: Environment, logic: Logic): InstancePattern {
  // Their type is not known here: what is set must be there.
  const set = new Set(pattern.attributes.map((each) => each.name.text));
  const inside = { ...environment, changing: target, changed: { owner: target, has: (name: string) => set.has(name) } };
  const attributes = pattern.attributes.map((each) => linkPatternAttribute(each, undefined, inside, logic, linkValue));
  const linked = { ...pattern, target, attributes, options: linkOptions(pattern, pattern.type.text, environment, logic, linkValue) };
  return pattern.links === undefined
    ? linked
    : { ...linked, links: pattern.links.map((each) => linkLink(each, undefined, environment, logic)) };
}

export function linkValue(value: Expression, environment: Environment, logic: Logic): Expression {
  const around = {
    module: environment.module,
    reference: (path: readonly string[], span: Expression['span']) => resolveReference(path, span, environment, logic),
    knows: (path: readonly string[]) => isReference(path, environment, logic),
    pattern: (pattern: InstancePattern) => linkInstance(pattern, environment, logic),
  };
  return linkExpression(value, around, logic.linking);
}

/** What a trigger hands on as a message is the text of its instance. */
function withMessage(attribute: PatternAttribute, entry: Entry | BuiltinEntry | undefined, { trigger }: Environment): PatternAttribute {
  const { name, value } = attribute;
  const isThis = value.kind === 'reference' && value.path.length === 1 && value.path[0] === 'this';
  const isCalled = entry?.kind === 'agent' || entry?.kind === 'event' || entry?.kind === 'open-event';
  if (trigger === undefined || name.text !== 'message' || !isThis || !isCalled) return attribute;
  const { span } = value;
  return { ...attribute, value: { kind: 'call', name: { text: 'JSON.stringify', span }, arguments: [value], awaited: false, span } };
}

/** `__path__? x.id` behind `{Doc? "words"} @as [x]` is the one that was found, whatever its identifier is called and wherever it stands. */
function withFound(attribute: PatternAttribute, type: TypeName, { searched }: Environment): PatternAttribute {
  const { name, query, value } = attribute;
  if (name.text !== '__path__' || query === undefined || value.kind !== 'reference') return attribute;
  const [alias = '', member, ...rest] = value.path;
  if (member !== 'id' || rest.length > 0 || searched.get(alias) !== type) return attribute;
  return { ...attribute, value: { ...value, path: [alias] } };
}

function substitutionOf(
  pattern: InstancePattern,
  type: TypeName,
  environment: Environment,
  logic: Logic,
): Pick<InstancePattern, 'substitution'> {
  const substitution = linkSubstitution(pattern, type, environment, logic);
  return substitution === undefined ? {} : { substitution };
}

/** What stands in the place of a type, where an event runs with subtypes. */
function substituted(entry: Entry | BuiltinEntry | undefined, { types }: Environment, logic: Logic): Entry | BuiltinEntry | undefined {
  const subtype = entry === undefined ? undefined : types?.get(entry.name);
  return subtype === undefined ? entry : logic.linking.scope.entries.get(subtype);
}

const usable = ['entity', 'relationship', 'event', 'open-event', 'record', 'agent', 'builtin', 'foreign'];

function findType(name: Name, { module }: Environment, logic: Logic): Entry | BuiltinEntry | undefined {
  const entry = lookUpAsked(name.text, module, logic.linking.scope);
  if (entry === undefined) {
    const wanted = { what: 'entity, event or record', name: name.text, span: name.span, module };
    reportUnknown(logic.linking, 'name-unknown', wanted, (each) => usable.includes(each.kind));
    return undefined;
  }
  const isContains = entry.kind === 'relationship' && entry.declaration.type === 'contains';
  if (usable.includes(entry.kind) && !isContains) return entry;
  const message = isContains
    ? `\`${name.text}\` is a contains relationship: children are written inside their parent`
    : `no pattern can be made of \`${name.text}\`, which is ${kindOf(entry)}`;
  logic.linking.report.fault('pattern-type', name.span, message);
  return undefined;
}

function isStored(entry: Entry | BuiltinEntry): boolean {
  // What has no behaviour may be asked for; the answer is that it is not available.
  if (entry.kind === 'foreign') return true;
  return entry.kind === 'entity' || entry.kind === 'relationship' || (entry.kind === 'builtin' && entry.declaration.kind === 'entity');
}

function checkUse(pattern: InstancePattern, entry: Entry | BuiltinEntry, { linking }: Logic): void {
  if (isQuery(pattern) && !isStored(entry)) {
    linking.report.fault(
      'pattern-type',
      pattern.type.span,
      `\`${entry.local}\` is ${kindOf(entry)}: nothing is stored that could be queried`,
    );
  }
  if (pattern.options.upsert === true && isQuery(pattern)) {
    linking.report.fault('pattern-mixed', pattern.span, '`@upsert` takes the values to keep; what is to be found has no `?`');
  }
}

function checkAttributes(pattern: InstancePattern, type: TypeName, logic: Logic): void {
  const set = new Set<string>();
  // What is made may be given what its relationships lead to, by the names that these have.
  const extensions = isQuery(pattern) ? [] : (logic.types.entities.get(type)?.extensions ?? []);
  for (const { name, query, value } of pattern.attributes) {
    // `{Post {n? @count(id)}}`: the name is that of a result.
    if (value.kind === 'aggregate') continue;
    if (!extensions.some((each) => each.name === name.text)) checkAttribute(name, type, logic);
    if (query !== undefined) {
      checkAsked(type, name.text, name.span, logic);
      continue;
    }
    if (set.has(name.text)) logic.linking.report.fault('attribute-repeated', name.span, `\`${name.text}\` is given twice`);
    set.add(name.text);
  }
}

/** `PostComment [{Comment {...}}]`: a relationship of the entity around, and instances of its other end. */
function linkNested(
  nested: NestedPattern,
  parent: Entry | BuiltinEntry | undefined,
  environment: Environment,
  logic: Logic,
): NestedPattern {
  const { report, scope } = logic.linking;
  const patterns = nested.patterns.map((each) => linkInstance(each, environment, logic));
  const relationship = linkRelationship(nested.relationship, parent?.name, environment, logic);
  const { span, text } = nested.relationship;
  if (relationship !== undefined && parent !== undefined) {
    const others = otherEnds(relationship, parent.name);
    if (others.length === 0) {
      report.fault('pattern-type', span, `\`${text}\` is not a relationship of \`${parent.local}\``);
    } else {
      for (const each of patterns) {
        const wrong = scope.entries.has(each.type.text) && !others.includes(each.type.text);
        if (wrong)
          report.fault(
            'pattern-type',
            each.type.span,
            `\`${text}\` leads from \`${parent.local}\` to ${others.map((end) => `\`${end}\``).join(' or ')}`,
          );
      }
    }
  }
  return { ...nested, relationship: { ...nested.relationship, text: relationship?.name ?? text }, patterns };
}

/** Where a relationship leads from this entity. */
export function otherEnds(relationship: Relationship, from: TypeName): readonly TypeName[] {
  if (relationship.kind === 'contains') return relationship.parent === from ? [relationship.child] : [];
  const [first, second] = relationship.ends;
  return [...(first.entity === from ? [second.entity] : []), ...(second.entity === from ? [first.entity] : [])];
}

/** A bare name is looked up at the entity first: its relationships may belong to another module. */
export function linkRelationship(name: Name, at: TypeName | undefined, { module }: Environment, logic: Logic): Relationship | undefined {
  const here = at === undefined ? undefined : logic.relationshipsAt.get(at)?.get(name.text);
  const relationship = here ?? logic.relationships.get(qualified(name.text, module));
  if (relationship === undefined) {
    const wanted = { what: 'relationship', name: name.text, span: name.span, module };
    reportUnknown(logic.linking, 'name-unknown', wanted, (each) => each.kind === 'relationship');
  }
  return relationship;
}

/** `:-> [[:WorksFor parent]]`: seen from the instance, a contains relationship leads up to its parent. */
function linkLink(link: LinkPattern, from: Entry | BuiltinEntry | undefined, environment: Environment, logic: Logic): LinkPattern {
  const relationship = linkRelationship(link.relationship, from?.name, environment, logic);
  const { text, span } = link.relationship;
  if (relationship !== undefined && from !== undefined && !reaches(relationship, from.name)) {
    logic.linking.report.fault('pattern-type', span, `\`${text}\` is not a relationship of \`${from.local}\``);
  }
  const name = relationship?.name ?? text;
  const attributes = link.attributes.map((each) => linkPatternAttribute(each, undefined, environment, logic, linkValue));
  for (const each of relationship === undefined ? [] : link.attributes) {
    checkAttribute(each.name, name, logic);
    if (link.query || each.query !== undefined) checkAsked(name, each.name.text, each.span, logic);
  }
  return {
    ...link,
    relationship: { ...link.relationship, text: name },
    attributes,
    ...(link.other === undefined ? {} : { other: linkValue(link.other, environment, logic) }),
    ...(link.id === undefined ? {} : { id: linkValue(link.id, environment, logic) }),
  };
}

function reaches(relationship: Relationship, entity: TypeName): boolean {
  if (relationship.kind === 'contains') return relationship.child === entity;
  return relationship.ends.some((end) => end.entity === entity);
}
