// Workflows with their events, triggers, and the statements that run at start.

import type { Span } from '../../../source.ts';
import type { TriggerAction, WorkflowDeclaration } from '../../declaration.ts';
import { onlyNew } from '../../fault-report.ts';
import { literalMap } from '../../literals.ts';
import { type EventType, localOf, type Reaction, type Trigger, type TypeName, type Workflow } from '../../model.ts';
import { isQuery, type Name, type Statement } from '../../pattern.ts';
import { timerTypes } from '../../timers/timers.ts';
import { type Marks, markSpan, marksCalled, readAnnotations } from '../annotations.ts';
import { kindOf, type Linking, lookUp, qualified, reportUnknown, type WorkflowEntry } from '../scope.ts';
import { linkRunRules } from '../types/access-rules.ts';
import type { Types } from '../types/types.ts';
import { aiInstance } from './ai-instances.ts';
import { type Environment, emptyEnvironment, type Logic } from './environment.ts';
import { linkValue } from './patterns.ts';
import { addRunAs, linkRunAs } from './run-as.ts';
import { addSchedule } from './schedules.ts';
import { linkStatement, linkStatements } from './statements.ts';

/** A workflow without a declared event makes one that takes any attributes. */
export function addOpenEvents(types: Types, { scope }: Linking): void {
  for (const entry of scope.entries.values()) {
    if (entry.kind !== 'open-event') continue;
    const { name, module, local, span, declaration } = entry;
    types.events.set(name, {
      kind: 'event',
      name,
      module,
      local,
      span,
      attributes: [],
      open: true,
      isPublic: declaration.isPublic,
      rbac: undefined,
      meta: {},
    });
  }
}

/** `workflow W @rbac [...]` says it of its event, and so do `@schedule`, `@internal` and `@runAs`. */
export function addRunRules(types: Types, linking: Linking): void {
  for (const name of types.events.keys()) {
    addSchedule(name, types.marks.get(name) ?? [], types, linking);
    addRunAs(name, types.marks.get(name) ?? [], types, linking);
  }
  for (const entry of linking.scope.workflows.values())
    for (const { declaration } of [entry, ...entry.more]) {
      const marks = readAnnotations(declaration.annotations, 'workflow', linking.report);
      const rbac = linkRunRules(marks, linking);
      if (rbac !== undefined) addRules(entry.name, rbac, markSpan(marks, 'rbac') ?? declaration.span, types, linking);
      addSchedule(entry.name, marks, types, linking);
      markInternal(entry.name, marks, types, linking);
      addRunAs(entry.name, marks, types, linking);
    }
}

function markInternal(name: TypeName, marks: Marks, types: Types, { report }: Linking): void {
  const [event, span] = [types.events.get(name), markSpan(marks, 'internal')];
  if (span === undefined) return;
  if (event === undefined) report.fault('annotation-misplaced', span, `\`${name}\` is made by the service alone: nothing else leads to it`);
  else types.events.set(name, { ...event, isInternal: true });
}

function addRules(name: TypeName, rbac: EventType['rbac'], span: Span, types: Types, { report }: Linking): void {
  const event = types.events.get(name);
  if (event === undefined) report.fault('annotation-misplaced', span, `\`${name}\` is made by the service alone: nobody else runs it`);
  else if (event.rbac !== undefined) report.fault('annotation-repeated', span, `it is said elsewhere who may run \`${name}\``);
  else types.events.set(name, { ...event, rbac });
}

export function linkWorkflows(logic: Logic): ReadonlyMap<TypeName, Workflow> {
  const workflows = new Map<TypeName, Workflow>();
  for (const entry of logic.linking.scope.workflows.values()) workflows.set(entry.name, linkWorkflow(entry, logic));
  return workflows;
}

function linkWorkflow({ name, module, local, span, declaration, more }: WorkflowEntry, logic: Logic): Workflow {
  const environment = { ...emptyEnvironment(module), event: { name, local } };
  const condition = linkCondition(declaration, environment, logic);
  const others = more.flatMap((each) =>
    linkStatements(each.declaration.body, { ...emptyEnvironment(each.module), event: { name, local } }, logic),
  );
  const body = [...linkStatements(declaration.body, environment, logic), ...others];
  const declared: EventType | undefined = logic.types.events.get(name);
  const isPublic = declaration.isPublic || declared?.isPublic === true;
  return { name, module, local, span, event: name, isPublic, condition, body };
}

/** The statements of each, by its name. Linking one may find more of them. */
export function linkSubstitutions(logic: Logic): ReadonlyMap<string, readonly Statement[]> {
  const linked = new Map<string, readonly Statement[]>();
  const again: Logic = { ...logic, linking: { ...logic.linking, report: onlyNew(logic.linking.report) } };
  for (const [name, { event, types }] of logic.substitutions) {
    const entry = logic.linking.scope.workflows.get(event);
    if (entry === undefined) continue;
    const bodies = [entry, ...entry.more].map(({ module, declaration }) =>
      linkStatements(declaration.body, { ...emptyEnvironment(module), event: { name: entry.name, local: entry.local }, types }, again),
    );
    linked.set(name, bodies.flat());
  }
  return linked;
}

/** `[:Evt :when [:> :E.X 10]]`: the entities in it stand for the instance that has been stored. */
function linkCondition({ condition }: WorkflowDeclaration, environment: Environment, logic: Logic): Workflow['condition'] {
  if (condition === undefined) return undefined;
  const { module } = environment;
  const inside = { ...environment, asking: true, instances: new Set(logic.types.entities.keys()) };
  const on = condition.on === undefined ? undefined : triggerType(condition.on, module, logic.linking);
  return {
    when: linkValue(condition.when, inside, logic),
    on,
    where: condition.where === undefined ? undefined : linkValue(condition.where, inside, logic),
  };
}

export function linkReactions(logic: Logic): readonly Reaction[] {
  const reactions: Reaction[] = [];
  for (const entry of logic.linking.scope.entries.values()) {
    if (entry.kind !== 'rule') continue;
    const { name, module, local, span, declaration } = entry;
    const environment = emptyEnvironment(module);
    const conditions = linkStatements(declaration.conditions, environment, logic);
    const body = linkStatements(declaration.body, environment, logic);
    reactions.push({
      name,
      module,
      local,
      span,
      onDelete: declaration.onDelete,
      conditions,
      body,
      options: literalMap(declaration.options) ?? {},
    });
  }
  return reactions;
}

export function linkStartup(logic: Logic): readonly Statement[] {
  const environments = new Map<string, ReturnType<typeof emptyEnvironment>>();
  const statements = logic.linking.scope.startup.filter(({ declaration }) => aiInstance(declaration) === undefined);
  return statements.map(({ module, declaration }) => {
    // The files of a module share their aliases, as they share its names.
    const environment = environments.get(module) ?? emptyEnvironment(module);
    environments.set(module, environment);
    return replacingTimer(linkStatement(declaration.statement, environment, logic));
  });
}

/** A timer that was made at the start before is the same timer. */
function replacingTimer(statement: Statement): Statement {
  const { pattern } = statement;
  const isTimer = pattern.kind === 'instance' && timerTypes.has(pattern.type.text) && !isQuery(pattern) && pattern.target === undefined;
  const isNamed = isTimer && pattern.attributes.some(({ name }) => name.text.toLowerCase() === 'name');
  return isNamed ? { ...statement, pattern: { ...pattern, options: { ...pattern.options, upsert: true } } } : statement;
}

/** `@after {create Ev}` in the bodies of entities and relationships: who is run, and with which attribute. */
export function linkEventTriggers(types: Types, linking: Linking): readonly Trigger[] {
  const triggers: Trigger[] = [];
  for (const [name, marks] of types.marks) {
    const module = linking.scope.entries.get(name)?.module ?? '';
    for (const when of ['before', 'after'] as const) {
      for (const annotation of marksCalled(marks, when)) {
        if (annotation.kind !== 'trigger') continue;
        for (const each of annotation.actions)
          triggers.push(...linkAction(each, { when, entity: name, module, span: annotation.span }, linking));
      }
    }
  }
  return triggers;
}

const operations = ['create', 'update', 'delete'] as const;

function linkAction(action: TriggerAction, at: Pick<Trigger, 'when' | 'entity' | 'module' | 'span'>, linking: Linking): readonly Trigger[] {
  const operation = linkOperation(action.operation, linking);
  const { text, span } = action.event;
  const entry = lookUp(text, at.module, linking.scope);
  if (entry?.kind !== 'event' && entry?.kind !== 'open-event') {
    const isEvent = (each: { readonly kind: string }) => each.kind === 'event' || each.kind === 'open-event';
    reportUnknown(linking, 'name-unknown', { what: 'event', name: text, span, module: at.module }, isEvent);
    return [];
  }
  return operation === undefined ? [] : [{ ...at, operation, runs: { kind: 'event', event: entry.name, async: action.async } }];
}

function linkOperation(name: Name, { report }: Linking): Trigger['operation'] | undefined {
  const found = operations.find((each) => each === name.text);
  if (found === undefined) {
    report.unknown(
      'trigger-operation-unknown',
      name.span,
      `triggers fire on ${operations.join(', ')}; there is no \`${name.text}\``,
      name.text,
      operations,
    );
  }
  return found;
}

/** `workflow @after create:Post { ... }`. */
export function linkBodyTriggers(logic: Logic): readonly Trigger[] {
  const { linking } = logic;
  return linking.scope.triggerWorkflows.flatMap(({ module, declaration }): readonly Trigger[] => {
    const { trigger } = declaration;
    if (trigger === undefined) return [];
    const marks = readAnnotations(declaration.annotations, 'workflow', linking.report);
    const span = markSpan(marks, 'rbac') ?? markSpan(marks, 'schedule') ?? markSpan(marks, 'internal');
    if (span !== undefined) linking.report.fault('annotation-misplaced', span, 'a write sets it off, and nobody runs it');
    const operation = linkOperation(trigger.operation, linking);
    const entity = triggerType(trigger.entity, module, linking);
    const name = entity ?? qualified(trigger.entity.text, module);
    const local = localOf(name);
    const body = linkStatements(declaration.body, { ...emptyEnvironment(module), trigger: { name, local } }, logic);
    if (operation === undefined || entity === undefined) return [];
    const runAs = linkRunAs(marks, linking);
    const as = runAs === undefined ? {} : { runAs };
    return [{ when: trigger.when, operation, entity, module, runs: { kind: 'body', body }, ...as, span: declaration.span }];
  });
}

function triggerType(name: Name, module: string, linking: Linking): TypeName | undefined {
  const entry = lookUp(name.text, module, linking.scope);
  if (entry?.kind === 'entity' || (entry?.kind === 'relationship' && entry.declaration.type === 'between')) return entry.name;
  const wanted = { what: 'entity', name: name.text, span: name.span, module };
  if (entry === undefined) reportUnknown(linking, 'name-unknown', wanted, (each) => each.kind === 'entity');
  else linking.report.fault('pattern-type', name.span, `\`${name.text}\` is ${kindOf(entry)}: nothing is stored that could fire a trigger`);
  return undefined;
}

/** The attribute that each triggered event gets: named after the entity, it holds the instance. */
export function triggerAttributes(triggers: readonly Trigger[]): ReadonlyMap<TypeName, ReadonlySet<string>> {
  const attributes = new Map<TypeName, Set<string>>();
  for (const { runs, entity } of triggers) {
    if (runs.kind !== 'event') continue;
    const names = attributes.get(runs.event) ?? new Set();
    attributes.set(runs.event, names.add(localOf(entity)));
  }
  return attributes;
}
