// Resolvers that the configuration alone declares: part of the model from then on, whoever works with it.

import type { Model, Resolver, TypeName } from '../model/model.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { Span } from '../source.ts';
import { StartRefused } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import type { ResolverSettings } from './resolver.ts';

/**
 * One entry for each resolver: what is said of one that a document, a server or another entry declares stands beside its declaration, and wins. Two that
 * declare the same one are left, to be refused.
 */
export function mergedSettings(settings: readonly ResolverSettings[]): readonly ResolverSettings[] {
  const declared = settings.filter((each) => each.kind !== undefined);
  const more = settings.filter((each) => each.kind === undefined);
  const extra = new Map<TypeName, ResolverSettings>();
  for (const each of more) extra.set(each.name, { ...extra.get(each.name), ...each });
  const alone = [...extra.values()].filter(({ name }) => !declared.some((each) => each.name === name));
  return [...declared.map((each) => ({ ...each, ...extra.get(each.name) })), ...alone];
}

/** Refuses what the configuration says of types that are not there, or that have a resolver already. */
export function withConfigured(model: Model, settings: readonly ResolverSettings[]): Model {
  const declared = settings.filter((each) => each.kind !== undefined);
  for (const { name, kind } of settings)
    if (kind === undefined && !model.resolvers.has(name))
      throw refused(name, 'is declared nowhere; without a type it means one of the model');
  for (const { name, kind, types } of settings)
    if (kind === undefined && types !== undefined) throw refused(name, 'is declared elsewhere, with the types that it is for');
  const moded = settings.filter((each) => each.kind === undefined && each.compose !== undefined);
  if (declared.length + moded.length === 0) return model;
  const resolvers = new Map(model.resolvers);
  for (const { name, compose = false } of moded) {
    const known = resolvers.get(name);
    if (known !== undefined) resolvers.set(name, { ...known, compose });
  }
  for (const each of declared) {
    if (resolvers.has(each.name)) throw refused(each.name, 'is declared twice');
    resolvers.set(each.name, resolverOf(each, model, [...resolvers.values()]));
  }
  return Object.freeze({ ...model, resolvers });
}

function resolverOf(
  { name, kind, types = [], compose = false, config = null }: ResolverSettings,
  model: Model,
  others: readonly Resolver[],
): Resolver {
  for (const type of types) {
    const isKnown = kind === 'openapi' || kind === 'mcp' ? model.events.has(type) : model.entities.has(type);
    if (!isKnown) throw refused(name, `is for ${type}, which is no entity of the model`);
    if (others.some((each) => each.types.includes(type) && !(compose && each.compose)))
      throw refused(name, `is for ${type}, which has a resolver already`);
  }
  const map = mapOf(config);
  for (const attribute of map.keys())
    if (!types.some((type) => model.entities.get(type)?.attributes.some((each) => each.name === attribute)))
      throw refused(name, `maps ${attribute}, which is no attribute of ${types.join(' or ')}`);
  for (const type of types) {
    const both = sharingField(model.entities.get(type)?.attributes.map((each) => each.name) ?? [], map);
    if (both !== undefined) throw refused(name, `maps ${both} of ${type}, where one value would be lost`);
  }
  if (compose && (kind === 'openapi' || kind === 'mcp')) throw refused(name, 'composes events, which is not in this version');
  const [first] = types;
  const span = first === undefined ? undefined : (model.entities.get(first) ?? model.events.get(first))?.span;
  // A server whose tools only agents use has no events before it is reached.
  if (kind === 'mcp' && span === undefined) return { ...named(name), span: noSpan, types, compose, kind };
  if (span === undefined || kind === undefined) throw refused(name, 'needs the types that it is for');
  return { ...named(name), span, types, compose, kind };
}

/** Attribute → field of the other side. */
function mapOf(config: Value): ReadonlyMap<string, Value> {
  const map = isObject(config) ? config['map'] : undefined;
  return new Map(isObject(map) ? Object.entries(map) : []);
}

/** Names what would go by one field: what is not mapped goes by its own name, also beside the field of an attribute of another type. */
function sharingField(attributes: readonly string[], map: ReadonlyMap<string, Value>): string | undefined {
  const ownerOf = new Map<Value, string>();
  for (const name of attributes) {
    const field = map.get(name) ?? name;
    const other = ownerOf.get(field) ?? (map.has(name) ? undefined : [...map].find(([, each]) => each === name)?.[0]);
    if (other !== undefined) return `both ${other} and ${name} to the field ${String(field)}`;
    ownerOf.set(field, name);
  }
  return undefined;
}

const noSpan: Span = { source: { file: '', text: '' }, start: 0, end: 0 };

function named(name: TypeName): Omit<Resolver, 'span' | 'types' | 'compose' | 'kind'> {
  const [module = '', local = ''] = name.split('/');
  return { name, module, local, methods: {}, options: {}, onSubscription: undefined };
}

function refused(name: TypeName, why: string): StartRefused {
  return new StartRefused(`The resolver ${name} of the configuration ${why}.`);
}
