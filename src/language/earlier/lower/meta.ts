// In charge of `:meta`, `:rbac` and `:ui` of entities, records, events and relationships.

import type { Annotation, RbacRule, RelationshipEnd, TriggerAction } from '../../../model/declaration.ts';
import type { Expression, MapExpression, Name } from '../../../model/pattern.ts';
import { type Collection, type Form, isKeyword, isMap, type Keyword, lookUp, pairsOf } from '../read/form.ts';
import { lowerRule, ruleKeys } from './access-rule.ts';
import { metaAnnotation } from './attribute.ts';
import { annotation, attributeName, data, expected, fault, type Lowering, literal, nameOf, reference, spanOver } from './lowering.ts';

/** What a declaration says about itself as a whole. */
export interface About {
  extends: Name | undefined;
  isPublic: boolean;
  readonly annotations: Annotation[];
  readonly meta: MapExpression['entries'][number][];
  relationship:
    | { readonly type: 'contains' | 'between'; readonly ends: readonly RelationshipEnd[]; readonly span: Form['span'] }
    | undefined;
  roles: readonly Name[] | undefined;
}

export function startAbout(): About {
  return { extends: undefined, isPublic: false, annotations: [], meta: [], relationship: undefined, roles: undefined };
}

/** All annotations; those that are only said, in one `@meta`. */
export function annotationsOf({ annotations, meta }: About, at: Form): readonly Annotation[] {
  return meta.length === 0 ? annotations : [...annotations, metaAnnotation(meta, at)];
}

/** The keys of an attribute map that are no attributes. */
export const aboutKeys = new Set(['meta', 'rbac', 'ui']);

export function lowerAbout(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  if (key.name === 'rbac') lowerRbac(key, value, about, lowering);
  else if (key.name === 'ui') about.meta.push({ key: literal(key), value: data(value, lowering) });
  else if (isMap(value)) for (const pair of pairsOf(value)) lowerMetaKey(pair.key, pair.value, about, lowering);
  else expected(lowering, value, key, 'a map');
}

type LowerKey = (key: Keyword, value: Form, about: About, lowering: Lowering) => void;

const metaKeys: ReadonlyMap<string, LowerKey> = new Map<string, LowerKey>([
  ['inherits', lowerInherits],
  ['required-attributes', (key, value, about, lowering) => addNames('required', key, value, about, lowering)],
  ['unique', lowerUnique],
  ['was', (key, value, about, lowering) => about.annotations.push(annotation('was', key, [data(value, lowering)], value))],
  ['schedule', (key, value, about, lowering) => about.annotations.push(annotation('schedule', key, [data(value, lowering)], value))],
  ['profile', lowerProfile],
  ['internal', lowerInternal],
  ['run-as', lowerRunAs],
  ['rbac', lowerRbac],
  ['public', lowerPublic],
  ['crud-exclusive-for-owner', (key, value, about, lowering) => addMeta({ ...key, name: 'ownerOnly' }, value, about, lowering)],
  ['creator-owns', (key, value, about, lowering) => addMeta({ ...key, name: 'creatorOwns' }, value, about, lowering)],
  ['contains', lowerEnds],
  ['between', lowerEnds],
  ['as', lowerRoles],
  [
    'cascade-on-delete',
    (key, value, about, lowering) => about.annotations.push(annotation('cascade', key, [data(value, lowering)], value)),
  ],
  ['one-one', lowerCardinality('one_one')],
  ['one-many', lowerCardinality('one_many')],
  ['many-many', lowerCardinality('many_many')],
  ['before', lowerTriggers],
  ['after', lowerTriggers],
]);

function lowerPublic(_: Keyword, value: Form, about: About): undefined {
  about.isPublic = value.kind === 'boolean' && value.value;
}

export function lowerInternal(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  if (value.kind !== 'boolean') fault(lowering, 'annotation-argument', value.span, '`:internal` is true or false');
  else if (value.value) about.annotations.push(annotation('internal', key, [], value));
}

/** `:system` or `:caller`. */
export function lowerRunAs(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  const name = value.kind === 'keyword' ? value.name : value.kind === 'text' ? value.value : undefined;
  if (name === undefined) return expected(lowering, value, key, '`:system` or `:caller`');
  about.annotations.push(annotation('runAs', key, [reference([name], value.span)], value));
}

function lowerMetaKey(key: Form, value: Form, about: About, lowering: Lowering): undefined {
  if (key.kind === 'text') {
    about.meta.push({ key: literal(key), value: data(value, lowering) });
    return undefined;
  }
  if (key.kind !== 'keyword') return expected(lowering, key, key, 'a keyword');
  const lower = metaKeys.get(key.name);
  if (lower !== undefined) lower(key, value, about, lowering);
  else addMeta(key, value, about, lowering);
}

function addMeta(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  about.meta.push({ key: literal(key), value: data(value, lowering) });
}

function lowerInherits(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  if (value.kind === 'keyword') about.extends = nameOf(value);
  else expected(lowering, value, key, 'the name of a type, as a keyword,');
}

/** `[:A :B]`, `:A`, or several of these in a vector. */
function lowerUnique(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  const groups = value.kind === 'vector' && value.items.every((each) => each.kind === 'vector') ? value.items : [value];
  for (const group of groups) addNames('with_unique', key, group, about, lowering);
}

/** The attribute that says whom an instance describes. */
function lowerProfile(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  if (!isKeyword(value)) return expected(lowering, value, key, 'the name of an attribute, as a keyword,');
  about.annotations.push(annotation('profile', key, [reference([value.name], value.span)], value));
}

function addNames(name: string, key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  const names = keywords(value, key, lowering).map((each): Expression => reference([each.name], each.span));
  about.annotations.push(annotation(name, key, names, value));
}

function keywords(form: Form, around: Form, lowering: Lowering): readonly Keyword[] {
  const items = form.kind === 'vector' ? form.items : [form];
  return items.flatMap((each) => (isKeyword(each) ? [each] : (expected(lowering, each, around, 'a name, as a keyword,') ?? [])));
}

function lowerCardinality(name: string): LowerKey {
  return (key, value, about, lowering) => {
    if (value.kind !== 'boolean') fault(lowering, 'annotation-argument', value.span, `\`:${key.name}\` is true or false`);
    else if (value.value) about.annotations.push(annotation(name, key, [], value));
  };
}

/** `[:Parent :Child :as [:A :B] :cascade-on-delete false]`. */
function lowerEnds(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  if (value.kind !== 'vector') return expected(lowering, value, key, 'a vector of two entities');
  const [first, second, ...options] = value.items;
  if (!isKeyword(first) || !isKeyword(second)) return expected(lowering, value, key, 'a vector of two entities, as keywords,');
  if (about.relationship !== undefined)
    fault(lowering, 'annotation-repeated', key.span, 'a relationship is either `:contains` or `:between`, once');
  const type = key.name === 'contains' ? 'contains' : 'between';
  about.relationship = { type, ends: [{ entity: nameOf(first) }, { entity: nameOf(second) }], span: spanOver(key, value) };
  for (const option of pairsOf({ kind: 'map', items: options, span: value.span })) lowerMetaKey(option.key, option.value, about, lowering);
  if (options.length % 2 === 1) expected(lowering, options.at(-1), value, 'an option with its value');
}

function lowerRoles(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  const roles = value.kind === 'vector' ? keywords(value, key, lowering).flatMap((each) => attributeName(each, lowering) ?? []) : [];
  if (roles.length === 2) about.roles = roles;
  else expected(lowering, value, key, 'a vector of two roles, as keywords,');
}

/** `{:create :Ev, :update [:Ev2 :async]}`. */
function lowerTriggers(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  if (!isMap(value)) return expected(lowering, value, key, 'a map of operations and events');
  const actions = pairsOf(value).flatMap(({ key: operation, value: event }): readonly TriggerAction[] => {
    const [name, async] = event.kind === 'vector' ? event.items : [event];
    if (!isKeyword(operation) || !isKeyword(name)) return expected(lowering, event, value, 'an operation with its event') ?? [];
    return [{ operation: nameOf(operation), event: nameOf(name), async: isKeyword(async, 'async') }];
  });
  about.annotations.push({ kind: 'trigger', name: { text: key.name, span: key.span }, actions, span: spanOver(key, value) });
}

/**
 * `[{:roles ["user"] :allow [:create]} ...]`; of a relationship also `{:owner :From :assign {:ownership [:To :-> :From]}}` and
 * `{:inherit true :rules [...]}`.
 */
export function lowerRbac(key: Keyword, value: Form, about: About, lowering: Lowering): undefined {
  const given = value.kind === 'vector' || value.kind === 'list' ? value.items : [value];
  const items = given.flatMap((each) => withRulesBeside(each, lowering));
  const rules: RbacRule[] = [];
  for (const item of items) {
    if (!isMap(item)) {
      expected(lowering, item, key, 'a map of rights');
      continue;
    }
    lowerOwnership(item, about, lowering);
    lowerInheritance(item, about, lowering);
    const isRule = [...ruleKeys].some((each) => lookUp(item, each) !== undefined);
    if (isRule) rules.push(lowerRule(item, lowering));
    checkRightKeys(item, lowering);
  }
  const isSpec = items.length === 0 || rules.length > 0 || items.some((each) => isMap(each) && lookUp(each, 'rules') !== undefined);
  if (isSpec) about.annotations.push({ kind: 'rbac', name: { text: 'rbac', span: key.span }, rules, span: spanOver(key, value) });
}

/** With the rules that stand beside `:inherit`. */
function withRulesBeside(item: Form, lowering: Lowering): readonly Form[] {
  const rules = isMap(item) ? lookUp(item, 'rules') : undefined;
  if (!isMap(item) || rules === undefined) return [item];
  if (lookUp(item, 'inherit') !== undefined && (rules.kind === 'vector' || rules.kind === 'list'))
    return [item, ...rules.items.flatMap((each) => withRulesBeside(each, lowering))];
  expected(lowering, rules, item, 'a vector of rules, beside `:inherit`,');
  return [item];
}

const rightKeys = new Set([...ruleKeys, 'owner', 'assign', 'inherit', 'rules']);

function checkRightKeys(map: Collection, lowering: Lowering): undefined {
  for (const { key } of pairsOf(map)) {
    if (isKeyword(key) && rightKeys.has(key.name)) continue;
    expected(lowering, key, map, 'one of `:roles`, `:owners`, `:allow`, `:where`, `:owner`, `:assign`, `:inherit` and `:rules`');
  }
}

function lowerInheritance(map: Collection, about: About, lowering: Lowering): undefined {
  const inherit = lookUp(map, 'inherit');
  if (inherit === undefined) return;
  if (inherit.kind !== 'boolean') return expected(lowering, inherit, map, '`true` or `false`');
  if (inherit.value) about.annotations.push(annotation('inherit', inherit));
}

function lowerOwnership(map: Collection, about: About, lowering: Lowering): undefined {
  const owner = lookUp(map, 'owner');
  const assign = lookUp(map, 'assign');
  if (isKeyword(owner)) about.annotations.push(annotation('owner', owner, [reference([owner.name], owner.span)]));
  else if (owner !== undefined) expected(lowering, owner, map, 'a role of the relationship, as a keyword,');
  if (assign === undefined) return;
  const path = isMap(assign) ? lookUp(assign, 'ownership') : undefined;
  const [to, arrow, from] = path?.kind === 'vector' ? path.items : [];
  if (!isKeyword(to) || !isKeyword(arrow, '->') || !isKeyword(from))
    return expected(lowering, assign, map, '`{:ownership [:To :-> :From]}`');
  about.annotations.push({
    kind: 'assign',
    name: { text: 'assign', span: assign.span },
    to: nameOf(to),
    from: nameOf(from),
    span: assign.span,
  });
}
