// A workflow as a step of a flow: what it writes and that it has ended are kept in one transaction, so that it is done once, whatever happens.

import { performTogether } from '../../engine/execute.ts';
import { decisionOf } from '../../engine/flow/invoke.ts';
import type { AskingFlow } from '../../engine/flow/parts/checkpoint.ts';
import { flowOf, runPart } from '../../engine/flow/parts/run-part.ts';
import { isShown } from '../../model/description.ts';
import type { EventType } from '../../model/model.ts';
import { wholeEffects } from '../../plan/flow/effects.ts';
import type { FlowProgram } from '../../plan/flow/flow.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Values } from '../../values/value.ts';
import { modelOf, titleOf } from '../prompt.ts';
import { charge, checkBudget, type KeptPart, type Run } from '../run.ts';
import { now } from '../runs/runs.ts';
import { shownOf } from '../tools/call.ts';
import { contentOf, partIn } from '../workflow/part.ts';
import { startWaiting } from '../workflow/suspended.ts';
import { resultsAsData } from './context.ts';
import { boundAttributes, type Fill } from './input.ts';
import { readJson, withoutFence } from './match.ts';
import { begin, end, routeOfStep } from './record.ts';
import { routeOfValue } from './route.ts';
import type { FlowStep, Stepped } from './step.ts';

export async function runWorkflow(step: FlowStep, name: string, run: Run): Promise<Stepped> {
  const { asked, results, no } = step;
  const { context, journal, runs } = run;
  const { model } = context.plan;
  const target = eventCalled(name, run);
  if (!run.recorded.steps.has(no)) begin({ no, name, kind: 'workflow', input: asked.message }, run);
  const before = suspendedAt(no, run);
  if (before?.asked !== undefined) return goOn(step, before.asked, before, run);
  const body = await boundAttributes(target, { message: asked.message, results, model, fill: filler(step, run) });
  const operation = { kind: 'invoke', target, body, isGranted: true } as const;
  const input = (): string => writeJson(withoutSecrets(body, target));
  const edges = asked.flow.steps.filter((each) => each.from === step.name);
  return performTogether<Stepped>(operation, context, {
    async before({ asking, suspending }) {
      if (asking !== undefined) return runAsking(step, asking, run);
      return suspending && runSuspending(step, suspending, input(), run);
    },
    open: (work, options) =>
      journal.with(async (writing) => {
        const value = shownOf(await work(writing));
        const routed = routeOfValue(value, edges, run);
        const changes = { input: input(), result: value, status: 'succeeded', ended: now(writing), ...routeOfStep(routed) };
        await runs.changeStep(run.id, no, changes, writing);
        return { value, routed };
      }, options),
  });
}

/** A workflow that asks agents itself: its parts are steps of their own. */
export async function runAsking(step: FlowStep, asking: AskingFlow, run: Run): Promise<Stepped> {
  return goOn(step, asking, undefined, run);
}

/** One step, unless a resolver suspends it: then what follows are steps of their own. */
export async function runSuspending(step: FlowStep, asking: AskingFlow, input: string, run: Run): Promise<Stepped> {
  const { no, node } = step;
  const { journal, runs, context } = run;
  const flow = programOf(asking, run);
  const edges = step.asked.flow.steps.filter((each) => each.from === step.name);
  const options = { waits: wholeEffects(flow, context.plan.dataflows).waits, decides: decisionOf([flow], context) };
  const done = await journal.with(async (writing): Promise<Stepped | KeptPart> => {
    const part = await runPart(asking, flow, [], writing, run.id);
    if (part.kind === 'asks') throw new Error(`${asking.name} asks agents`);
    if (part.kind === 'suspended') {
      const kept = { entries: part.entries, suspended: part.at, asked: asking };
      await runs.changeStep(run.id, no, { input }, writing);
      await runs.keepPart(run.id, no, contentOf(kept), writing);
      await startWaiting(run.id, no + 1, part.at, runs, writing);
      return kept;
    }
    const value = shownOf(part.result);
    const routed = routeOfValue(value, edges, run);
    const changes = { input, result: value, status: 'succeeded', ended: now(writing), ...routeOfStep(routed) };
    await runs.changeStep(run.id, no, changes, writing);
    if (node.kind !== 'statement') return { value, routed };
    const kept = part.kept();
    await runs.keepPart(run.id, no, JSON.stringify(kept), writing);
    return { value, routed, kept };
  }, options);
  return 'routed' in done ? done : goOn(step, asking, done, run);
}

/** What a step had done before a resolver suspended it, where one did. */
export function suspendedAt(no: number, { recorded }: Run): KeptPart | undefined {
  const content = recorded.parts.get(no);
  const part = content === undefined ? undefined : partIn(content);
  return part?.suspended === undefined ? undefined : part;
}

function programOf(asking: AskingFlow, { context }: Run): FlowProgram {
  const flow = flowOf(asking, context.plan.dataflows);
  if (flow === undefined) throw new Error(`there is no flow ${asking.name}`);
  return flow;
}

/** The parts that follow the first one, or all of them, are steps of their own. */
export async function goOn(step: FlowStep, asking: AskingFlow, first: KeptPart | undefined, run: Run): Promise<Stepped> {
  const done = await run.inParts(asking, programOf(asking, run), run, first);
  const value = shownOf(done);
  const edges = step.asked.flow.steps.filter((each) => each.from === step.name);
  const routed = routeOfValue(value, edges, run);
  if (run.recorded.steps.get(step.no)?.isDone !== true) end(step.no, { result: value, ...routeOfStep(routed) }, run);
  return { value, routed, ...(step.node.kind === 'statement' ? { kept: done.kept() } : {}) };
}

function eventCalled(name: string, { context: { plan } }: Run): EventType {
  const event = plan.model.events.get(name);
  if (event === undefined) throw new Error(`there is no event ${name}`);
  return event;
}

function withoutSecrets(body: Values, { attributes }: EventType): Values {
  const hidden = new Set(attributes.filter((each) => !isShown(each)).map((each) => each.name));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !hidden.has(name)));
}

/** One call of the model of the flow's agent, held to the schema of what is missing. */
function filler({ asked, results }: FlowStep, run: Run): Fill {
  return async (schema, missing) => {
    const { agent, message } = asked;
    if (!run.models.isReady(modelOf(agent))) return undefined;
    checkBudget(run);
    await run.journal.flush();
    const data = resultsAsData(results).map(({ name, text }) => `${name}: ${text}`);
    const reply = await run.models.reply(
      modelOf(agent),
      {
        messages: [
          {
            role: 'system',
            text: `Take these values from what follows, and answer with a JSON object of them alone: ${missing.join(', ')}.`,
          },
          { role: 'user', text: [message, ...data].join('\n\n') },
        ],
        tools: [],
        temperature: 0,
        maxOutputTokens: run.settings.limits.output,
        schema,
        about: { agent: titleOf(agent), scenarios: [], labels: [], message, turn: 0 },
      },
      run.signal,
    );
    charge(run, reply);
    const value = readJson(withoutFence(reply.text));
    return isObject(value) ? value : undefined;
  };
}
