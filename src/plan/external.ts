// Types whose instances are kept by a resolver alone: what of them the store does not have, and whose writes have to ask for them.

import type { Model, Resolver, TypeName } from '../model/model.ts';

/** What the resolver of an entity has a handler for. */
export interface ExternalHandlers {
  readonly resolver: TypeName;
  readonly query: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  /** Whether its handlers are functions of the application, which may suspend the workflow that calls them. */
  readonly suspends: boolean;
}

export interface ExternalTypes {
  /** Entities of which nothing is stored. */
  readonly entities: ReadonlyMap<TypeName, ExternalHandlers>;
  /** Entities that are stored, and told to resolvers besides. */
  readonly composed: ReadonlySet<TypeName>;
  /** Events of which resolvers are told before the workflow runs. */
  readonly composedEvents: ReadonlySet<TypeName>;
  /** All of these, and types whose instances stand in a relationship with them, near or far, or refer to them: to write one may be to ask a resolver. */
  readonly near: ReadonlySet<TypeName>;
}

export function externalTypes(model: Model): ExternalTypes {
  const entities = new Map<TypeName, ExternalHandlers>();
  const composed = new Set<TypeName>();
  for (const resolver of model.resolvers.values()) {
    for (const type of resolver.types.filter((each) => model.entities.has(each))) {
      if (resolver.compose) composed.add(type);
      else entities.set(type, handlersOf(resolver));
    }
  }
  const composedEvents = new Set([...model.resolvers.values()].flatMap((each) => eventsTold(each, model)));
  const own = new Set([...entities.keys(), ...composed]);
  return { entities, composed, composedEvents, near: own.size === 0 ? own : nearTo(own, model) };
}

function eventsTold({ compose, methods, kind, types }: Resolver, { events }: Model): readonly TypeName[] {
  return compose && (kind !== undefined || methods.eval !== undefined) ? types.filter((each) => events.has(each)) : [];
}

function handlersOf({ name, methods, kind }: Resolver): ExternalHandlers {
  const has = (method: 'query' | 'create' | 'update' | 'delete'): boolean => kind !== undefined || methods[method] !== undefined;
  return {
    resolver: name,
    query: has('query'),
    create: has('create'),
    update: has('update'),
    delete: has('delete'),
    suspends: kind === undefined,
  };
}

function nearTo(types: Set<TypeName>, { relationships, entities }: Model): ReadonlySet<TypeName> {
  for (let before = 0; before < types.size; ) {
    before = types.size;
    for (const each of relationships.values()) {
      const joined = each.kind === 'contains' ? [each.parent, each.child] : [each.name, ...each.ends.map((end) => end.entity)];
      if (joined.some((type) => types.has(type))) for (const type of joined) types.add(type);
    }
    for (const { name, attributes } of entities.values())
      if (attributes.some(({ ref }) => ref !== undefined && types.has(ref.entity))) types.add(name);
  }
  return types;
}
