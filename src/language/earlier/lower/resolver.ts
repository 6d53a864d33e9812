// In charge of resolvers.

import type { ResolverDeclaration } from '../../../model/declaration.ts';
import { isUnusedMethod } from '../../../model/declaration.ts';
import type { CodeExpression, MapExpression, Name } from '../../../model/pattern.ts';
import { type Form, isKeyword, isMap, lookUp, type MapForm, pairsOf, unquoted } from '../read/form.ts';
import { code, data, declaredName, expected, fault, importedName, type Lowering, literal, nameOf } from './lowering.ts';

type Method = ResolverDeclaration['methods'][number];

/** `(resolver :R {:with-methods {:create f} :paths [:E] :compose? false :on-subscription :Evt})`. */
export function lowerResolver(form: Form, items: readonly Form[], lowering: Lowering): ResolverDeclaration | undefined {
  const [, key, map] = items;
  const name = declaredName(key, form, 'the name of a resolver', lowering);
  if (name === undefined) return undefined;
  if (map === undefined || !isMap(map)) return expected(lowering, map, form, 'a map of methods and paths');
  const compose = lookUp(map, 'compose?');
  const options = optionsOf(map, lowering);
  return {
    kind: 'resolver',
    name,
    types: typesOf(lookUp(map, 'paths'), form, lowering),
    methods: [...methodsOf(lookUp(map, 'with-methods'), form, lowering), ...subscriptionOf(lookUp(map, 'on-subscription'), form, lowering)],
    ...(compose?.kind === 'boolean' && compose.value ? { compose: true } : {}),
    ...(options.entries.length === 0 ? {} : { options }),
    span: form.span,
  };
}

function typesOf(paths: Form | undefined, form: Form, lowering: Lowering): readonly Name[] {
  const items = paths?.kind === 'vector' ? paths.items : paths === undefined ? [] : [paths];
  return items.flatMap((each) =>
    isKeyword(each) ? [nameOf(each)] : (expected(lowering, each, form, 'the name of a type, as a keyword,') ?? []),
  );
}

function methodsOf(methods: Form | undefined, form: Form, lowering: Lowering): readonly Method[] {
  if (methods === undefined) return [];
  if (!isMap(methods)) return expected(lowering, methods, form, 'a map of methods') ?? [];
  return pairsOf(methods).flatMap(({ key, value }): readonly Method[] => {
    if (!isKeyword(key)) return expected(lowering, key, methods, 'the name of a method, as a keyword,') ?? [];
    if (isUnusedMethod(key.name)) fault(lowering, 'form-ignored', key.span, `the method \`:${key.name}\` is accepted, but never called`);
    const only = isMap(value) && value.items.length === 2 ? lookUp(value, 'handler') : undefined;
    const handler = only ?? value;
    return [{ name: nameOf(key), function: functionOf(unquoted(handler), lowering) }];
  });
}

/** The event that is made of what a subscription tells. */
function subscriptionOf(event: Form | undefined, form: Form, lowering: Lowering): readonly Method[] {
  if (event === undefined) return [];
  if (!isKeyword(event)) return expected(lowering, event, form, 'the name of an event, as a keyword,') ?? [];
  return [{ name: { text: 'onSubscription', span: event.span }, function: nameOf(event) }];
}

function functionOf(form: Form, lowering: Lowering): Name | CodeExpression {
  const imported = form.kind === 'symbol' ? importedName(form.name, lowering) : undefined;
  return imported === undefined ? code(form, lowering) : { text: imported.join('.'), span: form.span };
}

function optionsOf(map: MapForm, lowering: Lowering): MapExpression {
  const entries = pairsOf(map).flatMap(({ key, value }) => {
    const known = !isKeyword(key) || ['paths', 'with-methods', 'compose?', 'on-subscription'].includes(key.name);
    return known ? [] : [{ key: literal(key), value: data(value, lowering) }];
  });
  return { kind: 'map', entries, span: map.span };
}
