// One call of a tool: done as the caller's agent, in one transaction with its record. What is refused is told to the model, and kept too.

import { userOf } from '../../engine/caller.ts';
import { performRead, performTogether } from '../../engine/execute.ts';
import { leadsToAgent } from '../../engine/flow/parts/parts.ts';
import type { Context, Result, WriteContext } from '../../engine/operation.ts';
import { openGuard } from '../../engine/seams.ts';
import { accessDenied, error, isDenied, PlatformError } from '../../errors.ts';
import { storable } from '../../model/types/json.ts';
import { objectOf, parseJson, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import type { ToolRequest } from '../language-model.ts';
import { type Attributes, type Run, traced, Waits } from '../run.ts';
import { callKey } from '../runs/recorded.ts';
import type { Tool } from './tools.ts';

/** Bytes of what a model is shown of one call. */
const mostShown = 20 * 1024;
const limits = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** With its place among the calls of the run. */
interface NumberedCall extends ToolRequest {
  readonly no: number;
}

export function callTool(asked: ToolRequest, tools: readonly Tool[], step: number, run: Run): Promise<Value> {
  run.used.calls += 1;
  const call: NumberedCall = { ...asked, no: run.used.calls };
  const about = (): Attributes => ({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.name': call.tool,
    'gen_ai.tool.call.id': call.id,
  });
  return traced(run, `execute_tool ${call.tool}`, about, () => called(call, tools, step, run));
}

async function called(call: NumberedCall, tools: readonly Tool[], step: number, run: Run): Promise<Value> {
  const tool = tools.find((each) => each.schema.name === call.tool);
  const known = run.recorded.calls.get(callKey(step, call.id));
  const place = tool?.action === 'ask' ? placeOfDelegate(step, run) : 0;
  if (known !== undefined && known.status !== 'waiting' && known.status !== 'approved') {
    if (known.status === 'done' && tool?.action !== 'read' && tool?.action !== 'ask') run.used.writes += 1;
    return known.result;
  }
  try {
    if (tool === undefined) throw error('path-unknown');
    // It has the rights of whoever it works for, and there is nobody.
    if (worksForNobody(run.context))
      throw accessDenied({ action: 'create', type: tool.type }, 'An agent works for somebody who is signed in.');
    if (call.arguments === undefined) throw error('body-unreadable');
    if (tool.action === 'ask') return await ask(tool, call, call.arguments, step, place, run);
    return await (tool.action === 'read' ? read(tool, call, call.arguments, step, run) : write(tool, call, call.arguments, step, run));
  } catch (thrown) {
    if (!isRefusal(thrown) || (tool?.action === 'ask' && !ofAsking.has(thrown.code))) throw thrown;
    if (isDenied(thrown)) await noteDenied(tool, call, thrown, run);
    if (tool !== undefined) run.figures.refused(tool.schema.name);
    const result = refusalOf(thrown);
    run.journal.note((writing) => keep(call, result, 'refused', step, run, writing));
    return result;
  }
}

function worksForNobody({ caller, callerGuard }: Context): boolean {
  return callerGuard !== openGuard && userOf(caller) === undefined;
}

async function read(tool: Tool, call: NumberedCall, given: Values, step: number, run: Run): Promise<Value> {
  const result = shownToModel(await inTime(performRead(tool.operation(given), run.context)));
  run.journal.note((writing) => keep(call, result, 'done', step, run, writing));
  return result;
}

/** Milliseconds that a tool may read; what it runs has the time of events and resolvers, which is as long. */
const longestRead = 10_000;

async function inTime<T>(pending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error('request-timeout', { detail: 'The tool took too long.' })), longestRead);
  });
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
}

/** Steps of agents that another one asks are numbered inside of its own step: the same when a run goes on, whatever has been done of it. */
const delegates = { each: 1000, deepest: 1000 ** 3 } as const;

function placeOfDelegate(step: number, { used }: Run): number {
  const count = (used.delegates.get(step) ?? 0) + 1;
  used.delegates.set(step, count);
  return step * delegates.each + count;
}

async function ask(tool: Tool, call: NumberedCall, given: Values, step: number, place: number, run: Run): Promise<Value> {
  const { message, ...others } = given;
  if (typeof message !== 'string' || Object.keys(others).length > 0) throw error('agent-message-invalid');
  if (step >= delegates.deepest) throw error('flow-step-limit', { detail: 'Agents ask each other too deep.' });
  const result = await run.ask(tool.type, message, place, run);
  run.journal.note((writing) => keep(call, result, 'done', step, run, writing));
  return result;
}

async function write(tool: Tool, call: NumberedCall, given: Values, step: number, run: Run): Promise<Value> {
  const { used, settings, journal, context } = run;
  if (used.writes >= settings.limits.writes) throw error('too-many-requests', { detail: 'This run has made all its writes.' });
  const result = await performTogether<Value>(tool.operation(given), context, {
    async before({ transaction }) {
      // A workflow that asks agents is no transaction, and so not one with the record of its call.
      if (transaction === 'own' && leadsToAgent(tool.type, context.plan.dataflows))
        throw error('not-available', { detail: 'A workflow that asks agents is no tool.' });
      if (tool.needsApproval) await approved(call, given, step, run);
      return undefined;
    },
    open: (work, options) =>
      journal.with(async (writing) => {
        const done = shownToModel(await work(writing));
        await keep(call, done, 'done', step, run, writing);
        return done;
      }, options),
  });
  used.writes += 1;
  return result;
}

/** Goes on only where somebody has approved of this call: otherwise the run ends here, and is taken up again when somebody has. */
async function approved(call: NumberedCall, given: Values, step: number, run: Run): Promise<void> {
  const known = run.recorded.calls.get(callKey(step, call.id));
  if (known?.status === 'approved' || run.trial !== undefined) return;
  if (known === undefined) run.journal.note((writing) => keep(call, null, 'waiting', step, run, writing));
  throw new Waits({ step, call: call.id, tool: call.tool, arguments: given });
}

async function noteDenied(tool: Tool | undefined, call: NumberedCall, denied: PlatformError, { context }: Run): Promise<void> {
  const { recording } = context;
  if (tool === undefined || recording === undefined || call.arguments === undefined) return;
  await recording.recorder.denied(tool.operation(call.arguments), context, denied.origin.denial);
}

async function keep(call: NumberedCall, result: Value, status: string, step: number, run: Run, writing: WriteContext): Promise<void> {
  const { id, no, tool, arguments: given = null } = call;
  const known = run.recorded.calls.has(callKey(step, id));
  const shown = keepable(result);
  if (known) await run.runs.changeCall(run.id, step, id, { result: shown, status }, writing);
  else await run.runs.keepCall(run.id, step, { id, no, tool, arguments: keepable(given), result: shown, status }, writing);
}

/** What a model sends, or a workflow gives, may be what no store holds as JSON, such as a number of thirty digits: it is kept as a text then. */
export function keepable(value: Value): Value {
  return value === null ? null : (storable(value) ?? writeJson(value));
}

/** What is the fault of the call, or of who asked for it: the model hears of it, and may do better. */
function isRefusal(thrown: unknown): thrown is PlatformError {
  return thrown instanceof PlatformError && !outside.has(thrown.code);
}

/** Of a call of another agent: whatever else goes wrong in it has gone wrong in the run. */
const ofAsking: ReadonlySet<string> = new Set([
  'agent-message-invalid',
  'body-unreadable',
  'flow-step-limit',
  'access-denied',
  'attribute-denied',
]);

/** What no other call would change. */
const outside: ReadonlySet<string> = new Set([
  'internal',
  'store-failed',
  'store-busy',
  'store-full',
  'model-outdated',
  'service-busy',
  'service-stopping',
  'identity-unavailable',
]);

function refusalOf({ code, details: { errors } }: PlatformError): Value {
  const faults = errors?.map(({ attribute, code: why, message }) => ({ attribute, code: why, message }));
  return faults === undefined ? { error: code } : { error: code, errors: faults };
}

/** A result as models, and the steps after this one, are shown it. */
export function shownOf(result: Result): Value {
  switch (result.kind) {
    case 'instance':
      return parseJson(result.instance.json, limits);
    case 'instances':
      return result.instances.map((each) => parseJson(each.json, limits));
    case 'list': {
      const { first, rest, next } = result.list;
      return shortened(first.json === '' ? [] : parseJson(`[${first.json}]`, limits), rest !== undefined || next !== undefined);
    }
    case 'value':
    case 'reply':
      return result.value;
    case 'outcome': {
      const { texts, value } = result.outcome;
      if (typeof texts === 'string') return parseJson(texts, limits);
      return texts === undefined ? value : texts.map((each) => parseJson(each, limits));
    }
    default:
      throw new Error(`a tool gives no ${result.kind}`);
  }
}

/** What another system gives may have any size: the beginning of it, as a text, where there is no room for all. */
function shownToModel(result: Result): Value {
  const value = shownOf(result);
  if (result.kind === 'list') return value;
  const written = writeJson(value);
  if (written.length <= mostShown) return value;
  const text = typeof value === 'string' ? value : written;
  return objectOf([
    ['text', text.slice(0, mostShown).toWellFormed()],
    ['truncated', true],
  ]);
}

/** As many instances as there is room for. */
function shortened(instances: Value, isCut: boolean): Value {
  const all = Array.isArray(instances) ? instances : [];
  let bytes = 0;
  const shown = all.filter((each) => {
    bytes += writeJson(each).length;
    return bytes <= mostShown;
  });
  return objectOf([
    ['instances', shown],
    ['truncated', isCut || shown.length < all.length],
  ]);
}
