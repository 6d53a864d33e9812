// In charge of the text of entities, records, events, relationships and attributes.

import type {
  Annotation,
  AttributeDeclaration,
  NamedAttributeDeclaration,
  RbacRule,
  RelationshipDeclaration,
  TypeDeclaration,
} from '../../../model/declaration.ts';
import { facetTypes } from '../../../model/facets/facets.ts';
import { localOf } from '../../../model/model.ts';
import type { Expression } from '../../../model/pattern.ts';
import type { Span } from '../../../source.ts';
import { pathOf } from '../lower/lowering.ts';
import { type Item, type Node, width } from './layout.ts';
import { type Entry, form, keyword, list, map, textNode, vector } from './node.ts';
import { conditionNode, dataNode, keyNode, type Scene, valueNode } from './value.ts';

export function typeNode(type: TypeDeclaration, scene: Scene): Node {
  const { kind, name, attributes, annotations, span } = type;
  const meta = metaEntries(annotations, scene);
  if (type.extends !== undefined) meta.unshift({ key: ':inherits', value: keyword(type.extends.text), span: type.extends.span });
  if (type.isPublic) meta.push({ key: ':public', value: 'true' });
  const body = bodyEntries(attributes, meta, rightsOf(annotations, scene), scene);
  return list([kind, keyword(name.text), bodyItem(body, span, true)], { span });
}

/** Comments stay between the attributes, and before the first of them. */
function bodyItem(entries: readonly Entry[], span: Span, broken: boolean): Item {
  const [first] = entries;
  return { node: map(entries, span, broken), ...(first?.span === undefined ? {} : { span: first.span }) };
}

/** In the order of the source: attributes, and what is said about the whole. */
function bodyEntries(
  attributes: readonly AttributeDeclaration[],
  meta: readonly Entry[],
  rights: Entry | undefined,
  scene: Scene,
): readonly Entry[] {
  const entries: Entry[] = attributes.map((each) => ({
    key: keyword(each.name.text),
    value: specificationNode(each, scene),
    span: each.span,
  }));
  if (meta.length > 0) entries.push({ key: ':meta', value: map(meta), span: extentOf(meta) });
  if (rights !== undefined) entries.push(rights);
  return entries.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}

function extentOf(entries: readonly Entry[]): Entry['span'] {
  const spans = entries.flatMap(({ span }) => (span === undefined ? [] : [span]));
  const [first] = spans;
  if (first === undefined) return undefined;
  return { start: Math.min(...spans.map((each) => each.start)), end: Math.max(...spans.map((each) => each.end)) };
}

export function relationshipNode(relationship: RelationshipDeclaration, scene: Scene): Node {
  const { name, attributes, annotations, bodyAnnotations, span } = relationship;
  const all = [...annotations, ...bodyAnnotations];
  const ends = { key: keyword(relationship.type), value: endsNode(relationship, scene), span: endsSpan(relationship) };
  const meta = [ends, ...metaEntries(all, scene)];
  const entries = bodyEntries(attributes, meta, rightsOf(all, scene), scene);
  const node = (broken: boolean) => list(['relationship', keyword(name.text), bodyItem(entries, span, broken)], { span });
  const flat = node(false);
  return flat.flat !== undefined && flat.flat.length <= width ? flat : node(true);
}

function endsSpan({ ends: [first, second] }: RelationshipDeclaration): Entry['span'] {
  return { start: first.entity.span.start, end: Math.max(second.entity.span.end, second.role?.span.end ?? 0) };
}

function endsNode({ ends, annotations, bodyAnnotations }: RelationshipDeclaration, scene: Scene): Node {
  const cascade = [...annotations, ...bodyAnnotations].find((each) => each.name.text === 'cascade');
  const hasRoles = ends.some((each) => each.role !== undefined);
  const roles = ends.map(({ entity, role }) => keyword(role?.text ?? localOf(entity.text)));
  return vector([
    ...ends.map(({ entity }) => keyword(entity.text)),
    ...(hasRoles ? [':as', vector(roles)] : []),
    ...(cascade === undefined ? [] : [':cascade-on-delete', argumentNode(cascade, scene)]),
  ]);
}

export function namedAttributeNode(attribute: NamedAttributeDeclaration, scene: Scene): Node {
  return list(['attribute', keyword(attribute.name.text), specificationNode(attribute, scene)]);
}

/** `:String`, `:C/E.Attr`, `'(* :Qty 3)`, or a map of properties. */
function specificationNode(attribute: AttributeDeclaration | NamedAttributeDeclaration, scene: Scene): Node {
  const { type, list: isList, annotations } = attribute;
  const [only, ...more] = annotations;
  const single = more.length === 0 && only?.kind === 'plain' && !isList ? only : undefined;
  if (type !== undefined && annotations.length === 0 && !isList && pathOf(type.text).length === 1) return keyword(type.text);
  const [argument] = single?.arguments ?? [];
  if (type === undefined && single?.name.text === 'ref' && argument?.kind === 'reference' && argument.path.length > 1)
    return keyword(argument.path.join('.'));
  if (type?.text === 'Any' && single?.name.text === 'expr' && argument !== undefined && argument.kind !== 'code')
    return computedNode(argument, scene);
  return map([...typeEntries(attribute), ...annotations.flatMap((each) => propertyEntries(each, scene))]);
}

function typeEntries({ type, list: isList, annotations }: AttributeDeclaration | NamedAttributeDeclaration): readonly Entry[] {
  if (type === undefined) return [];
  const isSet = annotations.some((each) => each.name.text === 'setof');
  return [{ key: isList ? (isSet ? ':setof' : ':listof') : ':type', value: keyword(type.text) }];
}

const switchWords: ReadonlyMap<string, string> = new Map([
  ['id', 'id'],
  ['guid', 'guid'],
  ['unique', 'unique'],
  ['readonly', 'immutable'],
  ['optional', 'optional'],
  ['indexed', 'indexed'],
  ['fulltext', 'fulltext'],
  ['writeonly', 'write-only'],
  ['secret', 'secure-hash'],
  ['autoincrement', 'autoincrement'],
]);

const valueWords: ReadonlyMap<string, string> = new Map([
  ['default', 'default'],
  ['check', 'check'],
  ['ref', 'ref'],
  ['oneof', 'oneof'],
  ['was', 'was'],
  ['comment', 'comment'],
  ['cascade', 'cascade-on-delete'],
  ['extend', 'extend'],
  ['relationship', 'relationship'],
  ['order', 'order'],
  ['eval', 'eval'],
  ['parse', 'parse'],
  ['writer', 'writer'],
  ['var', 'var'],
  ['type_in_store', 'type-in-store'],
  ...facetTypes.map(({ name }): [string, string] => [name, name]),
]);

/** Whether an annotation of an attribute can be said here. */
export function isProperty({ name }: Annotation): boolean {
  return switchWords.has(name.text) || valueWords.has(name.text) || ['enum', 'expr', 'meta', 'setof', 'rbac'].includes(name.text);
}

function propertyEntries(annotation: Annotation, scene: Scene): readonly Entry[] {
  if (annotation.kind === 'rbac') return [{ key: ':rbac', value: vector(annotation.rules.map((each) => ruleNode(each, scene))) }];
  if (annotation.kind !== 'plain') return [];
  const { name, arguments: given } = annotation;
  const [first] = given;
  const word = switchWords.get(name.text);
  if (word !== undefined) return [{ key: keyword(word), value: 'true' }];
  if (name.text === 'enum') return [{ key: ':oneof', value: vector(given.map((each) => dataNode(each, scene))) }];
  if (first === undefined) return [];
  // A path needs no quote here, as it does where it stands alone.
  if (name.text === 'expr' && first.kind === 'reference') return [{ key: ':expr', value: keyword(first.path.join('.')) }];
  if (name.text === 'expr') return [{ key: ':expr', value: computedNode(first, scene) }];
  if (name.text === 'meta') return [{ key: ':meta', value: keyedNode(first, scene) }];
  const property = valueWords.get(name.text);
  return property === undefined ? [] : [{ key: keyword(property), value: plainNode(first, scene) }];
}

/** References in declarations are names, and calls make values. */
function plainNode(value: Expression, scene: Scene): Node {
  if (value.kind === 'reference') return isFunction(value.path) ? value.path.join('/') : keyword(value.path.join('.'));
  if (value.kind === 'call') return callNode(value);
  return dataNode(value, scene);

  /** `rates.valid` is a function of an imported module; `Order.no` an attribute. */
  function isFunction(path: readonly string[]): boolean {
    return path.length === 2 && scene.imports?.has(path[0] ?? '') === true;
  }
}

const generatorWords: ReadonlyMap<string, string> = new Map([
  ['localNow', 'now'],
  ['now', 'utc-now'],
]);

function callNode({ name }: Extract<Expression, { kind: 'call' }>): Node {
  return list([generatorWords.get(name.text) ?? name.text.replace(/\.([^.]*)$/, '/$1')]);
}

/** What is computed is quoted; names in it are those of the other attributes. */
function computedNode(value: Expression, scene: Scene): Node {
  const node = valueNode(value, { ...scene, reference: (path) => keyword(path.join('.')) });
  const isCall = value.kind === 'call' || value.kind === 'unary' || value.kind === 'binary' || value.kind === 'code';
  if (isCall) return node;
  return typeof node === 'string'
    ? `'${node}`
    : { ...node, open: `'${node.open}`, flat: node.flat === undefined ? undefined : `'${node.flat}` };
}

/** The keys of a meta map are keywords where they can be. */
function keyedNode(value: Expression, scene: Scene): Node {
  if (value.kind !== 'map') return dataNode(value, scene);
  return map(
    value.entries.map(({ key, value: each }) => ({ key: keyNode(String(key.value)), value: dataNode(each, scene), span: key.span })),
  );
}

const ofRelationship: ReadonlyMap<string, string> = new Map([
  ['one_one', 'one-one'],
  ['one_many', 'one-many'],
  ['many_many', 'many-many'],
]);

/** What is said about the whole, as entries of `:meta`. */
function metaEntries(annotations: readonly Annotation[], scene: Scene): Entry[] {
  const groups = annotations.flatMap((each) => (each.kind === 'plain' && each.name.text === 'with_unique' ? [each] : []));
  return annotations.flatMap((each): readonly Entry[] => {
    const { name, span } = each;
    if (each.kind === 'trigger') return [{ key: keyword(name.text), value: triggersNode(each), span }];
    if (each.kind !== 'plain') return [];
    const flag = ofRelationship.get(name.text);
    if (flag !== undefined) return [{ key: keyword(flag), value: 'true', span }];
    if (name.text === 'with_unique') return each === groups[0] ? [{ key: ':unique', value: uniqueNode(groups), span }] : [];
    if (name.text === 'runAs') return [{ key: ':run-as', value: nameNode(each), span }];
    if (name.text === 'internal') return [{ key: ':internal', value: 'true', span }];
    if (name.text === 'required') return [{ key: ':required-attributes', value: namesNode(each.arguments), span }];
    const [named] = each.arguments;
    if (name.text === 'profile' && named !== undefined) return [{ key: ':profile', value: plainNode(named, scene), span }];
    if (name.text === 'was' || name.text === 'schedule') return [{ key: keyword(name.text), value: argumentNode(each, scene), span }];
    return name.text === 'meta' ? metaOf(each.arguments[0], scene) : [];
  });
}

/** Keys that are called otherwise here. */
const ownKeys: ReadonlyMap<string, string> = new Map([
  ['ownerOnly', ':crud-exclusive-for-owner'],
  ['creatorOwns', ':creator-owns'],
]);

function metaOf(value: Expression | undefined, scene: Scene): readonly Entry[] {
  if (value?.kind !== 'map') return [];
  return value.entries.map(({ key, value: each }) => {
    const name = String(key.value);
    return {
      key: ownKeys.get(name) ?? keyNode(name),
      value: dataNode(each, scene),
      span: { start: key.span.start, end: each.span.end },
    };
  });
}

function uniqueNode(groups: readonly Extract<Annotation, { kind: 'plain' }>[]): Node {
  const nodes = groups.map((each) => namesNode(each.arguments));
  return nodes.length === 1 ? (nodes[0] ?? '[]') : vector(nodes);
}

function namesNode(names: readonly Expression[]): Node {
  return vector(names.flatMap((each) => (each.kind === 'reference' ? [keyword(each.path.join('.'))] : [])));
}

export function argumentNode(annotation: Annotation, scene: Scene): Node {
  const [first] = annotation.kind === 'plain' ? annotation.arguments : [];
  return first === undefined ? 'true' : dataNode(first, scene);
}

/** The name that an annotation takes. */
export function nameNode(annotation: Annotation): Node {
  const [first] = annotation.kind === 'plain' ? annotation.arguments : [];
  return keyword(first?.kind === 'reference' ? first.path.join('.') : '');
}

function triggersNode({ actions }: Extract<Annotation, { kind: 'trigger' }>): Node {
  return map(
    actions.map(({ operation, event, async }) => ({
      key: keyword(operation.text),
      value: async ? form([keyword(event.text), ':async']) : keyword(event.text),
    })),
  );
}

/** `:rbac`, with the owner and the assignment of a relationship, or whether its owners own what it contains. */
export function rightsOf(annotations: readonly Annotation[], scene: Scene): Entry | undefined {
  const rules = annotations.find((each) => each.kind === 'rbac');
  const owner = annotations.find((each) => each.name.text === 'owner');
  const assign = annotations.find((each) => each.kind === 'assign');
  const ownership: Entry[] = [];
  const [role] = owner?.kind === 'plain' ? owner.arguments : [];
  if (role?.kind === 'reference') ownership.push({ key: ':owner', value: keyword(role.path.join('.')) });
  if (assign !== undefined) {
    const path = vector([keyword(assign.to.text), ':->', keyword(assign.from.text)]);
    ownership.push({ key: ':assign', value: map([{ key: ':ownership', value: path }]) });
  }
  const inherit = annotations.find((each) => each.name.text === 'inherit');
  const span = rules?.span ?? owner?.span ?? assign?.span ?? inherit?.span;
  if (span === undefined) return undefined;
  if (inherit !== undefined) {
    const own = rules === undefined ? [] : [{ key: ':rules', value: vector(rules.rules.map((each) => ruleNode(each, scene))) }];
    return { key: ':rbac', value: map([{ key: ':inherit', value: 'true' }, ...own]), span };
  }
  if (rules === undefined) return { key: ':rbac', value: map(ownership), span };
  const nodes = [...rules.rules.map((each) => ruleNode(each, scene)), ...(ownership.length === 0 ? [] : [map(ownership)])];
  return { key: ':rbac', value: vector(nodes), span };
}

function ruleNode({ roles, owners, allow, where }: RbacRule, scene: Scene): Node {
  const around = { ...scene, reference: (path: readonly string[]) => keyword((path[0] === 'this' ? path.slice(1) : path).join('.')) };
  return map([
    ...(roles === undefined ? [] : [{ key: ':roles', value: vector(roles.map((each) => textNode(each.text))) }]),
    ...(owners === undefined ? [] : [{ key: ':owners', value: String(owners) }]),
    { key: ':allow', value: vector(allow.map((each) => keyNode(each.text))) },
    ...(where === undefined ? [] : [{ key: ':where', value: conditionNode(where, around) }]),
  ]);
}
