// In charge of dataflows, rules and patterns that stand on their own.

import type { Annotation, Declaration, ReactionDeclaration, WorkflowDeclaration } from '../../../../model/declaration.ts';
import type { MapExpression, Statement } from '../../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type Keyword, lookUp, pairsOf } from '../../read/form.ts';
import { documentsIn, instanceTypes, lowerAgent, lowerAiInstance } from '../agent.ts';
import { annotation, data, dataMap, declaredName, expected, fault, type Lowering, literal, nameOf, spanOver } from '../lowering.ts';
import { lowerInternal, lowerRbac, lowerRunAs, startAbout } from '../meta.ts';
import { aliasesIn, type DataflowNames } from '../names.ts';
import { lowerWhere } from '../value.ts';
import { lowerInstance } from './pattern.ts';
import { isAggregate, isOption } from './query.ts';
import { lowerStatement } from './statement.ts';

type Head = Pick<WorkflowDeclaration, 'name' | 'trigger' | 'condition' | 'isPublic'> & Partial<Pick<WorkflowDeclaration, 'annotations'>>;

/** `(dataflow :Evt pattern...)`, `(dataflow [:after :create :E] ...)`, `(dataflow [:Evt :when condition] ...)`. */
export function lowerDataflow(form: Form, items: readonly Form[], lowering: Lowering): WorkflowDeclaration | undefined {
  const [, head, ...rest] = items;
  const flow = startFlow(items, isTrigger(head), lowering);
  const found = lowerHead(head, form, flow);
  if (found === undefined) return undefined;
  const [first, ...more] = rest;
  const documentation = first?.kind === 'text' && more.length > 0 ? { documentation: literal(first) } : {};
  const body = (first?.kind === 'text' && more.length > 0 ? more : rest).flatMap((each) => lowerStatement(each, flow) ?? []);
  return { kind: 'workflow', ...found, annotations: found.annotations ?? [], ...documentation, body, span: form.span };
}

function startFlow(items: readonly Form[], trigger: boolean, lowering: Lowering): DataflowNames {
  const head = items[1];
  const [event] = head?.kind === 'vector' || head?.kind === 'map' ? head.items : [head];
  return {
    lowering,
    aliases: aliasesIn(items),
    isTrigger: trigger,
    event: isKeyword(event) ? event.name : undefined,
    type: undefined,
    pattern: lowerInstance,
  };
}

function isTrigger(head: Form | undefined): boolean {
  const [when] = head?.kind === 'vector' ? head.items : [];
  return isKeyword(when, 'before') || isKeyword(when, 'after');
}

function lowerHead(head: Form | undefined, form: Form, flow: DataflowNames): Head | undefined {
  const { lowering } = flow;
  if (head?.kind === 'vector') return isTrigger(head) ? lowerTrigger(head, head.items, lowering) : lowerCondition(head, head.items, flow);
  if (isMap(head) && head.items.length > 2) fault(lowering, 'token-unexpected', head.span, 'a dataflow belongs to one event');
  const [event] = isMap(head) ? head.items : [head];
  const name = eventName(event, form, lowering);
  return name === undefined ? undefined : { name, isPublic: false };
}

/** Also that of an event of another component, whose name is then qualified. */
function eventName(event: Form | undefined, form: Form, lowering: Lowering): Head['name'] | undefined {
  return declaredName(event, form, 'the name of an event', lowering);
}

/** `[:before :create :E]`, `[:before :create :E :run-as :caller]`. */
function lowerTrigger(head: Form, items: readonly Form[], lowering: Lowering): Head | undefined {
  const [when, operation, entity, ...options] = items;
  const isWhole = options.length === 0 || (options.length === 2 && isKeyword(options[0], 'run-as'));
  if (!isKeyword(operation) || !isKeyword(entity) || !isWhole) {
    return expected(lowering, operation, head, 'an operation and an entity, as in `[:after :create :E]`,');
  }
  const trigger = {
    when: isKeyword(when, 'before') ? 'before' : 'after',
    operation: nameOf(operation),
    entity: nameOf(entity),
    span: head.span,
  } as const;
  return { trigger, isPublic: false, annotations: lowerRunRules({ kind: 'map', items: options, span: head.span }, lowering) };
}

/** `[:Evt :when condition :on :E :where condition]`; `:rbac [...]` says who may run it, `:public true` opens it for the current surface's sake. */
function lowerCondition(head: Form, items: readonly Form[], flow: DataflowNames): Head | undefined {
  const [event, ...options] = items;
  const name = eventName(event, head, flow.lowering);
  if (name === undefined) return undefined;
  const map = { kind: 'map', items: options, span: head.span } as const;
  checkKeys(map, flow.lowering);
  const [when, on, where, open] = ['when', 'on', 'where', 'public'].map((key) => lookUp(map, key));
  const isPublic = open?.kind === 'boolean' && open.value;
  const annotations = lowerRunRules(map, flow.lowering);
  if (when === undefined) return { name, isPublic, annotations };
  const condition = {
    when: lowerWhere(when, flow),
    ...(isKeyword(on) ? { on: nameOf(on) } : {}),
    ...(where === undefined ? {} : { where: lowerWhere(where, flow) }),
    span: head.span,
  };
  return { name, condition, isPublic, annotations };
}

function lowerRunRules(map: Parameters<typeof lookUp>[0], lowering: Lowering): readonly Annotation[] {
  const about = startAbout();
  for (const { key, value } of pairsOf(map))
    if (isKeyword(key, 'rbac')) lowerRbac(key, value, about, lowering);
    else if (isKeyword(key, 'run-as')) lowerRunAs(key, value, about, lowering);
    else if (isKeyword(key, 'internal')) lowerInternal(key, value, about, lowering);
    else if (isKeyword(key, 'schedule')) about.annotations.push(annotation('schedule', key, [data(value, lowering)], value));
  return about.annotations;
}

function checkKeys(map: Parameters<typeof lookUp>[0], lowering: Lowering): undefined {
  for (const { key } of pairsOf(map)) {
    const known = isKeyword(key) && ['when', 'on', 'where', 'rbac', 'schedule', 'internal', 'run-as', 'public'].includes(key.name);
    if (!known) expected(lowering, key, map, 'one of `:when`, `:on`, `:where` and `:rbac`');
  }
}

/** `(rule :R condition... :then pattern... {:meta {...}})`. */
export function lowerReaction(form: Form, items: readonly Form[], lowering: Lowering): ReactionDeclaration | undefined {
  const [, key, ...rest] = items;
  const name = declaredName(key, form, 'the name of a rule', lowering);
  if (name === undefined) return undefined;
  const then = rest.findIndex((each) => isKeyword(each, 'then'));
  if (then === -1) return expected(lowering, rest.at(-1), form, '`:then` between the conditions and what is done');
  const flow = startFlow(items, false, lowering);
  const last = rest.at(-1);
  const options = last !== undefined && isMap(last) && isKeyword(last.items[0], 'meta') ? last.items[1] : undefined;
  const bodies = rest.slice(then + 1, options === undefined ? undefined : -1);
  const conditions = rest.slice(0, then);
  return {
    kind: 'rule',
    name,
    onDelete: conditions.some(isDelete),
    conditions: conditions.flatMap((each) => lowerStatement(asQuery(each), flow) ?? []),
    body: bodies.flatMap((each): readonly Statement[] => {
      const statement = lowerStatement(each, flow);
      return statement === undefined ? [] : [statement];
    }),
    ...(options !== undefined && isMap(options) ? { options: metaOf(options, lowering) } : {}),
    span: form.span,
  };
}

function metaOf(form: Form, lowering: Lowering): MapExpression {
  return isMap(form) ? dataMap(form, lowering) : { kind: 'map', entries: [], span: form.span };
}

function isDelete(form: Form): boolean {
  return form.kind === 'vector' && isKeyword(form.items[0], 'delete');
}

/** In a rule, `{:A {:X [:>= 500]}}` asks for what is there. */
function asQuery(form: Form): Form {
  const inner = isDelete(form) && form.kind === 'vector' ? form.items[1] : form;
  if (inner === undefined || !isMap(inner)) return inner ?? form;
  const items = inner.items.map((each, index) => {
    const isMain = index % 2 === 1 && isMap(each) && !isOptionKey(inner.items[index - 1]);
    return isMain && isMap(each)
      ? {
          ...each,
          items: each.items.map((key, at) =>
            at % 2 === 0 && isKeyword(key) && !isQueryKey(key, inner.items[index - 1]) ? queried(key) : key,
          ),
        }
      : each;
  });
  return { ...inner, items };
}

/** In `{:E? {:where ...}}` some keys are no attributes. */
function isQueryKey({ name }: Keyword, type: Form | undefined): boolean {
  return isKeyword(type) && type.name.endsWith('?') && (isOption(name) || isAggregate(name));
}

function isOptionKey(form: Form | undefined): boolean {
  return (
    isKeyword(form) && (form.name === 'as' || form.name === 'throws' || form.name === 'with' || form.name === '->' || isOption(form.name))
  );
}

function queried(keyword: Keyword): Keyword {
  return keyword.name.endsWith('?') ? keyword : { ...keyword, name: `${keyword.name}?` };
}

export function lowerStartup(form: Form, lowering: Lowering): Declaration | readonly Declaration[] | undefined {
  const [key] = isMap(form) ? form.items : [];
  if (isMap(form) && isKeyword(key, 'Platform.Core/Agent')) {
    const agent = lowerAgent(form, lowering);
    return agent === undefined ? undefined : [...documentsIn(form, lowering), agent];
  }
  if (isMap(form) && isKeyword(key) && instanceTypes.has(key.name)) return lowerAiInstance(form, key, lowering);
  const statement = lowerStatement(form, startFlow([form], false, lowering));
  return statement === undefined ? undefined : { kind: 'startup', statement, span: spanOver(form, form) };
}
