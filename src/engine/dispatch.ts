// Which handler does what is asked of a type, found by the type's name: by requests and by flows alike.

import { error, unreachable } from '../errors.ts';
import type { TypeName } from '../model/model.ts';
import { runsWorkflow } from '../plan/flow/effects.ts';
import { type Dataflows, type FlowProgram, triggerKey } from '../plan/flow/flow.ts';
import type { Plan } from '../plan/plan.ts';
import { type Awaitable, StartRefused } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { startBudget, timeLeft, timeLimitExceeded } from './budget.ts';
import { inTransaction, mapAwaitable } from './context.ts';
import { create } from './crud/create.ts';
import { remove } from './crud/delete.ts';
import { list } from './crud/list.ts';
import { read } from './crud/read.ts';
import { tree } from './crud/tree.ts';
import { update } from './crud/update.ts';
import { inTime } from './eval/functions.ts';
import { invoke, suspendableEvent } from './flow/invoke.ts';
import { leadsToAgent } from './flow/parts/parts.ts';
import { writingOf } from './flow/run.ts';
import type { Fields, Run } from './flow/state.ts';
import { checkEvent } from './flow/values.ts';
import type { AskingFlows, EventHandler, EventHandlers, Handlers } from './handlers.ts';
import type { Context, Operation, Result } from './operation.ts';
import type { Prepare, Task } from './seams.ts';

/** Every type of the plan has one: what is stored is created, read and changed, an event runs its workflow, or what a part does in place of it. */
export function handlersOf(plan: Plan, own: EventHandlers, asking?: AskingFlows): Handlers {
  refuseOwn(plan.dataflows, own);
  const prepares = new Map<TypeName, Prepare>();
  for (const type of [...plan.entities.keys(), ...plan.links.keys()]) prepares.set(type, crud);
  for (const type of plan.dataflows.events.keys()) prepares.set(type, dataflow);
  // A part does nothing where the model has not what it is for.
  for (const [type, handler] of own)
    if (plan.dataflows.events.has(type) && !runsWorkflow(type, { model: plan.model, handled: own }))
      prepares.set(type, (operation, context) => posted(handler, operation, context));
  return {
    asking,
    prepare(operation, context) {
      const prepare = prepares.get(typeOf(operation));
      if (prepare === undefined) throw error('not-available');
      return prepare(operation, context);
    },
    keepsAnswers(operation) {
      if (operation.kind !== 'invoke') return false;
      const { name } = operation.target;
      const handler = own.get(name);
      if (handler !== undefined && !runsWorkflow(name, { model: plan.model, handled: own })) return 'reply' in handler;
      return leadsToAgent(name, plan.dataflows);
    },
    call(event, values, run) {
      const handler = own.get(event);
      if (handler === undefined) throw new Error(`${event} was compiled for a handler that is not there`);
      return called(handler, event, values, run);
    },
  };
}

function typeOf(operation: Operation): TypeName {
  switch (operation.kind) {
    case 'create':
    case 'list':
      return operation.at.plan.type;
    case 'read':
    case 'tree':
    case 'update':
    case 'delete':
      return operation.at.in.plan.type;
    case 'invoke':
      return operation.target.name;
    default:
      return unreachable(operation);
  }
}

const crud: Prepare = (operation, context) => {
  switch (operation.kind) {
    case 'create':
      return create(operation, context);
    case 'read':
      return read(operation, context);
    case 'list':
      return list(operation, context);
    case 'tree':
      return tree(operation, context);
    case 'update':
      return update(operation, context);
    case 'delete':
      return remove(operation, context);
    case 'invoke':
      throw new Error(`${operation.target.name} is stored, and not invoked`);
    default:
      return unreachable(operation);
  }
};

const dataflow: Prepare = (operation, context) => invoke(invoked(operation), context);

function invoked(operation: Operation): Extract<Operation, { kind: 'invoke' }> {
  if (operation.kind !== 'invoke') throw new Error('an event is invoked');
  return operation;
}

function posted(handler: EventHandler, operation: Operation, context: Context): Task {
  const asked = invoked(operation);
  const { target, body } = asked;
  const plan = context.plan.dataflows.events.get(target.name);
  if (plan === undefined) throw error('not-available');
  const values = checkEvent(plan, body, context);
  const { waits } = handler;
  switch (handler.transaction) {
    case 'read':
      return {
        transaction: 'read',
        consistent: true,
        repeatable: () => !waits && !context.outside.called,
        run: (tx) => inside(handler.handle(values, inTransaction(context, tx))),
      };
    case 'write':
      return {
        transaction: 'write',
        waits,
        decides: 'by queries',
        run: (tx) => inside(handler.handle(values, inTransaction(context, tx))),
      };
    case 'own':
    case 'none':
      if ('reply' in handler) return { transaction: 'own', run: () => handler.reply(values, context) };
      if (handler.suspends === true)
        return suspendableEvent(asked, values, context, (own) => mapAwaitable(handler.handle(values, own), resultOf));
      return { transaction: 'own', run: () => mapAwaitable(handler.handle(values, context), resultOf) };
    default:
      return unreachable(handler);
  }

  function inside(given: Awaitable<Value>): Awaitable<Result> {
    return mapAwaitable(
      waits ? inTime(noted(given, context), timeLeft(startBudget(context), context), () => timeLimitExceeded(context)) : given,
      resultOf,
    );
  }
}

/** What a handler waits for may be outside of the service. */
function noted(given: Awaitable<Value>, { outside }: Context): Awaitable<Value> {
  if (given instanceof Promise) outside.called = true;
  return given;
}

function resultOf(value: Value): Result {
  return { kind: 'value', value };
}

function called(handler: EventHandler, event: TypeName, values: Fields, run: Run): Awaitable<Value> {
  const { reading, budget } = run;
  const given = calledIn(handler, event, values, run);
  return handler.waits ? inTime(noted(given, reading), timeLeft(budget, reading), () => timeLimitExceeded(reading)) : given;
}

function calledIn(handler: EventHandler, event: TypeName, values: Fields, run: Run): Awaitable<Value> {
  switch (handler.transaction) {
    case 'read':
      return handler.handle(values, run.reading);
    case 'none':
      return handler.handle(values, run.reading, run.writing);
    case 'write':
      return handler.handle(values, writingOf(run));
    case 'own':
      if ('reply' in handler) {
        if (run.parts === undefined) throw error('not-available', { detail: 'Agents cannot be asked here.' });
        return run.parts.answer(event, values, run);
      }
      throw new Error('a handler with transactions of its own came to be part of another');
    default:
      return unreachable(handler);
  }
}

/** What opens transactions of its own would wait for the one around it, which waits for it. */
function refuseOwn(dataflows: Dataflows, own: EventHandlers): void {
  const apart = [...own].filter(([, handler]) => handler.transaction === 'own' && !('reply' in handler)).map(([type]) => type);
  if (apart.length === 0) return;
  for (const flow of flowsOf(dataflows)) {
    const found = apart.find((type) => flow.effects.calls.has(type));
    if (found !== undefined) throw new StartRefused(`${flow.name} makes ${found}, which cannot be part of a transaction.`);
  }
  for (const { when, operation, entity, event } of [...dataflows.triggers.values()].flat())
    if (event !== undefined && apart.includes(event.name))
      throw new StartRefused(`${triggerKey(when, operation, entity)} makes ${event.name}, which cannot be part of a transaction.`);
}

function flowsOf({ flows, triggers, startup }: Dataflows): readonly FlowProgram[] {
  return [...flows.values(), ...[...triggers.values()].flat().map((each) => each.flow), startup];
}
