// Resolvers, decisions, imports: what connects a model with functions.

import { isUnusedMethod } from '../../declaration.ts';
import { literalMap } from '../../literals.ts';
import type { Decision, FunctionReference, ImportedFunctions, Resolver, ResolverMethod, TypeName } from '../../model.ts';
import type { Name } from '../../pattern.ts';
import { linkExpression, reportFunction } from '../expressions.ts';
import { clojureFunction, importedFunction, type Linking, lookUp, noteImports, type ResolverEntry, reportUnknown } from '../scope.ts';

const methods: readonly ResolverMethod[] = [
  'create',
  'update',
  'upsert',
  'delete',
  'query',
  'eval',
  'subscribe',
  'startTransaction',
  'commitTransaction',
  'rollbackTransaction',
];

export function linkResolvers(linking: Linking): ReadonlyMap<TypeName, Resolver> {
  const resolvers = new Map<TypeName, Resolver>();
  const taken = new Map<TypeName, ResolverEntry>();
  for (const entry of linking.scope.resolvers.values()) {
    const types = entry.declaration.types.flatMap((each) => resolvedType(each, entry, taken, linking));
    tellUncalled(entry, types, linking);
    const { name, module, local, span } = entry;
    const { compose = false, options } = entry.declaration;
    const settings = { compose, options: literalMap(options) ?? {} };
    resolvers.set(name, { name, module, local, span, types, ...settings, ...linkMethods(entry, linking) });
  }
  return resolvers;
}

const resolvable = ['entity', 'event', 'open-event', 'relationship'];

function resolvedType(name: Name, resolver: ResolverEntry, taken: Map<TypeName, ResolverEntry>, linking: Linking): readonly TypeName[] {
  const { module } = resolver;
  const entry = lookUp(name.text, module, linking.scope);
  if (entry === undefined || !resolvable.includes(entry.kind)) {
    const wanted = { what: 'entity or event', name: name.text, span: name.span, module };
    reportUnknown(linking, 'name-unknown', wanted, (each) => resolvable.includes(each.kind));
    return [];
  }
  const other = taken.get(entry.name);
  // Any number of them may compose; what overrides is alone.
  if (other !== undefined && !(composes(other) && composes(resolver)))
    linking.report.fault('name-repeated', name.span, `\`${name.text}\` already has the resolver \`${other.local}\``);
  taken.set(entry.name, resolver);
  return [entry.name];
}

const ofEntities: readonly string[] = ['create', 'update', 'delete', 'query'];

/** A handler that nothing can lead to: `eval` is for events, the others are for entities. */
function tellUncalled({ declaration, local }: ResolverEntry, types: readonly TypeName[], { scope, report }: Linking): void {
  const kinds = new Set(types.map((each) => scope.entries.get(each)?.kind));
  if (kinds.size === 0) return;
  for (const { name } of declaration.methods) {
    const isForEvents = name.text === 'eval';
    const isCalled = isForEvents ? kinds.has('event') || kinds.has('open-event') : kinds.has('entity') || !ofEntities.includes(name.text);
    const wanted = isForEvents ? 'event' : 'entity';
    if (!isCalled)
      report.fault('resolver-method-uncalled', name.span, `\`${name.text}\` is never called: \`${local}\` is for no ${wanted}`);
  }
}

function composes({ declaration }: ResolverEntry): boolean {
  return declaration.compose === true;
}

function linkMethods({ declaration, module }: ResolverEntry, linking: Linking): Pick<Resolver, 'methods' | 'onSubscription'> {
  const found: Partial<Record<ResolverMethod, FunctionReference>> = {};
  let onSubscription: TypeName | undefined;
  const seen = new Set<string>();
  for (const { name, function: called } of declaration.methods) {
    if (seen.has(name.text)) linking.report.fault('name-repeated', name.span, `the method \`${name.text}\` is given twice`);
    seen.add(name.text);
    const method = methods.find((each) => each === name.text);
    if (name.text === 'onSubscription' && !('kind' in called)) {
      onSubscription = subscriptionEvent(called, module, linking);
    } else if (isUnusedMethod(name.text)) {
      // Told where it was read.
    } else if (method === undefined) {
      const known = [...methods, 'onSubscription'];
      linking.report.unknown('resolver-method-unknown', name.span, `a resolver has no method \`${name.text}\``, name.text, known);
    } else if ('kind' in called) {
      found[method] = clojureFunction(called);
    } else {
      const target = importedFunction(called.text.split('.'), called.span, module, linking);
      if (target === undefined) reportFunction(called.text, called.span, module, linking);
      else found[method] = target;
    }
  }
  return { methods: found, onSubscription };
}

function subscriptionEvent(name: Name, module: string, linking: Linking): TypeName | undefined {
  const entry = lookUp(name.text, module, linking.scope);
  if (entry?.kind === 'event' || entry?.kind === 'open-event') return entry.name;
  const isEvent = (each: { readonly kind: string }) => each.kind === 'event' || each.kind === 'open-event';
  reportUnknown(linking, 'name-unknown', { what: 'event', name: name.text, span: name.span, module }, isEvent);
  return undefined;
}

/** The names in a condition are those of whatever the step before gave: only functions can be checked here. */
export function linkDecisions(linking: Linking): ReadonlyMap<TypeName, Decision> {
  const decisions = new Map<TypeName, Decision>();
  for (const entry of linking.scope.entries.values()) {
    if (entry.kind !== 'decision') continue;
    const { name, module, local, span, declaration } = entry;
    const around = { module, reference: (path: readonly string[]) => path, knows: () => true, pattern: <P>(pattern: P) => pattern };
    const cases = declaration.cases.map(({ condition, results }) => ({
      condition: condition === undefined ? undefined : linkExpression(condition, around, linking),
      results: results.map((each) => each.text),
    }));
    decisions.set(name, { name, module, local, span, cases });
  }
  return decisions;
}

/** Comes last, when everything has been linked that could use an import. */
export function linkImports(linking: Linking): readonly ImportedFunctions[] {
  const { scope, usedImports, report } = linking;
  for (const { module, declaration } of scope.code) noteImports(declaration.text, module, linking);
  const functions: ImportedFunctions[] = [];
  for (const [module, aliases] of scope.imports) {
    for (const [alias, { file, alias: name, external, span }] of aliases) {
      const uses = usedImports.get(`${module} ${alias}`);
      functions.push({ module, alias, file, external, span, uses: uses ?? [] });
      if (uses === undefined) report.fault('import-unused', name.span, `nothing uses the import \`${alias}\``);
    }
  }
  return functions;
}
