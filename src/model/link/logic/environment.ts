// What the names in a workflow mean: its event, the instance of a trigger, aliases, loop variables, columns of the types around.

import type { Span } from '../../../source.ts';
import { builtinTypes } from '../../builtin.ts';
import { didYouMean } from '../../fault-report.ts';
import { type Attribute, localOf, type Relationship, type TypeName, usableAt } from '../../model.ts';
import { changedName } from '../../pattern.ts';
import { subtypesOf } from '../../subtypes.ts';
import { type Linking, qualified } from '../scope.ts';
import type { Types } from '../types/types.ts';

/** What logic sees of the model: the types are finished when logic is linked. */
export interface Logic {
  readonly linking: Linking;
  readonly types: Types;
  readonly relationships: ReadonlyMap<TypeName, Relationship>;
  /** Attributes that events get because a trigger runs them: named after the entity. */
  readonly triggerAttributes: ReadonlyMap<TypeName, ReadonlySet<string>>;
  /** What `attributesOf` has found before. */
  readonly known: Map<TypeName, KnownAttributes>;
  /** The dataflows that are wanted with subtypes, by what they are then called. */
  readonly substitutions: Map<string, { readonly event: TypeName; readonly types: ReadonlyMap<TypeName, TypeName> }>;
  /** The relationships of each entity, by the bare names that its bodies use. */
  readonly relationshipsAt: ReadonlyMap<TypeName, ReadonlyMap<string, Relationship>>;
}

export function openLogic(
  linking: Linking,
  types: Types,
  relationships: ReadonlyMap<TypeName, Relationship>,
  triggerAttributes: ReadonlyMap<TypeName, ReadonlySet<string>>,
): Logic {
  const relationshipsAt = new Map<TypeName, Map<string, Relationship>>();
  for (const relationship of relationships.values()) {
    for (const entity of usableAt(relationship)) {
      const known = relationshipsAt.get(entity);
      if (known === undefined) relationshipsAt.set(entity, new Map([[relationship.local, relationship]]));
      else known.set(relationship.local, relationship);
    }
  }
  return { linking, types, relationships, triggerAttributes, relationshipsAt, known: new Map(), substitutions: new Map() };
}

/** By name; `undefined` as value where only the name is known, and no map at all where every name is allowed. */
type KnownAttributes = ReadonlyMap<string, Attribute | undefined> | undefined;

export interface Environment {
  readonly module: string;
  /** Grows as statements bind aliases. */
  readonly bound: Set<string>;
  /** The aliases of what a search by words has found, with its type. */
  readonly searched: Map<string, TypeName>;
  readonly event?: { readonly name: TypeName; readonly local: string };
  readonly trigger?: { readonly name: TypeName; readonly local: string };
  /** The types that statements before this one have made or found: their names stand for the last instance. */
  readonly instances: Set<TypeName>;
  /** The types of the patterns around, by every name they go by: `{Rep {load?< Rep.max}}`. */
  readonly columns: ReadonlyMap<string, TypeName>;
  /** Whether rows are asked for here, by what stands in them. */
  readonly asking?: boolean;
  /** What stands in the place of a type. */
  readonly types?: ReadonlyMap<TypeName, TypeName>;
  /** Where rows are changed: their attributes also go by their bare names, as those of `owner`. */
  readonly changed?: { readonly owner: readonly string[]; has(name: string): boolean };
  /** The name of earlier results that are changed here: behind it, the attributes of each of them are meant. */
  readonly changing?: readonly string[];
}

export function emptyEnvironment(module: string): Environment {
  return { module, bound: new Set(), searched: new Map(), instances: new Set(), columns: new Map() };
}

export function withColumns(
  environment: Environment,
  names: readonly { readonly written: string; readonly name: TypeName }[],
): Environment {
  const columns = new Map(environment.columns);
  for (const { written, name } of names) columns.set(written, name).set(localOf(name), name).set(name, name);
  for (const [base, subtype] of environment.types ?? []) if (columns.has(subtype)) columns.set(base, subtype);
  return { ...environment, columns };
}

/** As `resolveName`; a path to attributes of what is changed begins with that as one part. */
export function resolveReference(path: readonly string[], span: Span, environment: Environment, logic: Logic): readonly string[] {
  const resolved = resolveName(path, span, environment, logic);
  const { changing } = environment;
  const isInside = changing !== undefined && resolved.length > changing.length && changing.every((each, index) => resolved[index] === each);
  return isInside ? [changedName(changing), ...resolved.slice(changing.length)] : resolved;
}

/** The reference with its first part resolved: an alias as it is, `this`, `auth`, or the qualified name of an event or a type. */
function resolveName(path: readonly string[], span: Span, environment: Environment, logic: Logic): readonly string[] {
  const [written = '', ...rest] = path;
  const first = environment.types?.get(written) ?? written;
  const { bound, event, trigger, columns, instances } = environment;
  if (bound.has(first) || first === 'auth' || first === 'EventContext') return path;
  if (trigger !== undefined && (first === 'this' || first === trigger.local || first === trigger.name)) {
    checkPath(trigger.name, rest, span, logic);
    return ['this', ...rest];
  }
  const column = columns.get(first);
  const named = event !== undefined && (first === event.local || first === event.name) ? event.name : undefined;
  // Behind a list of unknown type its elements go by the names of theirs.
  const listed = first.includes('/') && bound.has('%') && attributesOf(first, logic) !== undefined;
  const name = qualified(first, environment.module);
  const type = column ?? named ?? (instances.has(name) ? name : listed ? first : undefined);
  if (type !== undefined) {
    checkPath(type, rest, span, logic);
    if (environment.asking === true && type !== named) checkAsked(type, rest[0] ?? '', span, logic);
    return [type, ...rest];
  }
  if (environment.changed?.has(first) === true) return [...environment.changed.owner, ...path];
  const around = rest.length === 0 ? undefined : holderOf(first, columns, logic);
  if (around !== undefined) return resolveName([around, ...path], span, environment, logic);
  reportReference(first, span, environment, logic);
  return path;
}

/** `:Home.Fee` beside what is asked for: the one type there that has an attribute `Home`, where nothing else is called so. */
function holderOf(name: string, columns: Environment['columns'], logic: Logic): TypeName | undefined {
  const holders = [...new Set(columns.values())].filter((each) => attributesOf(each, logic)?.get(name) !== undefined);
  return holders.length === 1 ? holders[0] : undefined;
}

/** Whether a word that stands in code means something here. */
export function isReference([first = '', second]: readonly string[], environment: Environment, logic: Logic): boolean {
  const { bound, event, trigger, columns, instances } = environment;
  if (bound.has(first) || first === 'auth' || first === 'EventContext') return true;
  if (trigger !== undefined && (first === 'this' || first === trigger.local || first === trigger.name)) return true;
  if (event !== undefined && (first === event.local || first === event.name)) return true;
  // Bare names of types and attributes are words of the code there: `count`, `name`.
  const type = columns.get(first) ?? (instances.has(first) ? first : undefined);
  if (type === undefined) return false;
  return second === undefined || attributesOf(type, logic)?.has(second) === true;
}

function reportReference(name: string, span: Span, { bound, event, trigger, columns }: Environment, logic: Logic): void {
  const owner = trigger?.name ?? event?.name;
  const prefix = trigger === undefined ? event?.local : 'this';
  const message = `nothing is called \`${name}\` here`;
  if (owner !== undefined && attributesOf(owner, logic)?.has(name) === true) {
    logic.linking.report.fault('alias-unknown', span, message, didYouMean(`${prefix}.${name}`));
    return;
  }
  const own = event === undefined ? [] : [event.local];
  const triggering = trigger === undefined ? [] : ['this', trigger.local];
  logic.linking.report.unknown('alias-unknown', span, message, name, [...bound, ...own, ...triggering, ...columns.keys(), 'auth']);
}

/** The names behind the first part, as far as they are known. */
function checkPath(type: TypeName, path: readonly string[], span: Span, logic: Logic): void {
  let owner = type;
  for (const name of path) {
    const known = attributesOf(owner, logic);
    if (known === undefined) return;
    if (!known.has(name)) {
      const isOfSubtype = subtypesOf(owner, logic.types, false).some((each) => attributesOf(each, logic)?.has(name) === true);
      if (isOfSubtype) return;
      const message = `\`${localOf(owner)}\` has no attribute \`${name}\``;
      logic.linking.report.unknown('attribute-unknown', span, message, name, known.keys());
      return;
    }
    const attribute = known.get(name);
    if (attribute?.type.kind !== 'record' || attribute.list) return;
    owner = attribute.type.record;
  }
}

/** What is kept as a hash differs from every value: nothing is found by it, and nobody is shown it. */
export function checkAsked(type: TypeName, name: string, span: Span, logic: Logic): void {
  const isStored = logic.types.entities.has(type) || logic.relationships.has(type);
  if (!isStored || attributesOf(type, logic)?.get(name)?.secret !== true) return;
  const message = `\`${name}\` of \`${localOf(type)}\` is kept as a hash: no query can ask for it`;
  logic.linking.report.fault('pattern-secret', span, message);
}

export function attributesOf(type: TypeName, logic: Logic): KnownAttributes {
  if (!logic.known.has(type)) logic.known.set(type, findAttributes(type, logic));
  return logic.known.get(type);
}

function findAttributes(type: TypeName, logic: Logic): KnownAttributes {
  const { types, relationships, linking } = logic;
  const known = types.entities.get(type) ?? types.records.get(type) ?? types.events.get(type);
  const names = new Map<string, Attribute | undefined>();
  for (const each of known?.attributes ?? []) names.set(each.name, each);
  if (known !== undefined) {
    // Whatever the identifier is called, it also goes by `__Id__`.
    if (known.kind === 'entity') names.set('__path__', undefined).set('__Id__', known.identifier);
    for (const each of logic.triggerAttributes.get(type) ?? []) names.set(each, names.get(each));
    return known.kind === 'event' && known.open ? undefined : names;
  }
  const relationship = relationships.get(type);
  if (relationship?.kind === 'between') {
    for (const each of relationship.attributes) names.set(each.name, each);
    for (const each of relationship.ends) names.set(each.attribute, undefined);
    return names;
  }
  // Beside its message, an agent is given whatever its instruction names.
  if (linking.scope.entries.get(type)?.kind === 'agent') return undefined;
  const builtin = builtinTypes.get(type);
  return builtin === undefined ? undefined : new Map(builtin.attributes.map((each) => [each, undefined]));
}
