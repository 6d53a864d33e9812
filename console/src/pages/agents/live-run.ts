// A run while it goes on, made from the events of its stream, in the form that is kept of it afterwards.

import { parseJson } from '../../api/json.ts';
import type { Run, RunCall, RunStep } from './runs.ts';

export interface LiveRun extends Run {
  /** What is being said, by the step that says it. */
  readonly saying: string;
}

export function newRun(agent: string, message: string): LiveRun {
  return {
    id: '',
    agent,
    kind: '',
    status: 'running',
    user: undefined,
    started: new Date().toISOString(),
    ended: undefined,
    message,
    result: undefined,
    error: undefined,
    inputTokens: 0,
    outputTokens: 0,
    cost: undefined,
    steps: [],
    saying: '',
  };
}

/** The run after an event. */
export function afterEvent(run: LiveRun, data: string): LiveRun {
  const event = Object(parseJson(data));
  switch (event.type) {
    case 'RUN_STARTED':
      return { ...run, id: String(event.runId) };
    case 'STEP_STARTED':
      return { ...run, saying: '', steps: [...run.steps, newStep(run.steps.length + 1, String(event.stepName))] };
    case 'TEXT_MESSAGE_CONTENT':
      return { ...run, saying: run.saying + String(event.delta) };
    case 'TOOL_CALL_START':
      return inStep(run, event.stepName, (step) => ({ ...step, calls: [...step.calls, newCall(event)] }));
    case 'TOOL_CALL_RESULT':
      return inStep(run, event.stepName, (step) => ({ ...step, calls: step.calls.map((each) => answered(each, event)) }));
    case 'STEP_FINISHED':
      return inStep(run, event.stepName, (step) => ({ ...step, status: 'succeeded', ended: new Date().toISOString() }));
    case 'RUN_FINISHED':
      return { ...run, status: String(event.status), result: event.result, ended: new Date().toISOString() };
    case 'RUN_ERROR':
      return { ...run, status: 'failed', error: event.problem, ended: new Date().toISOString() };
    default:
      return run;
  }
}

function newStep(no: number, name: string): RunStep {
  return {
    no,
    name,
    kind: '',
    status: 'running',
    input: undefined,
    result: undefined,
    label: undefined,
    method: undefined,
    model: undefined,
    inputTokens: 0,
    outputTokens: 0,
    cost: undefined,
    started: new Date().toISOString(),
    ended: undefined,
    calls: [],
  };
}

interface CallEvent {
  readonly toolCallId?: unknown;
  readonly toolCallName?: unknown;
  readonly arguments?: unknown;
  readonly content?: unknown;
}

function newCall(event: CallEvent): RunCall {
  return {
    id: String(event.toolCallId),
    tool: String(event.toolCallName),
    arguments: event.arguments,
    result: undefined,
    status: 'running',
  };
}

function answered(known: RunCall, event: CallEvent): RunCall {
  if (known.id !== String(event.toolCallId)) return known;
  return { ...known, result: event.content, status: Object(event.content).error === undefined ? 'succeeded' : 'refused' };
}

/** The last one of this name: a step may come again. */
function inStep(run: LiveRun, name: unknown, changed: (step: RunStep) => RunStep): LiveRun {
  const at = run.steps.findLastIndex((each) => each.name === name);
  return { ...run, steps: run.steps.map((step, index) => (index === at ? changed(step) : step)) };
}
