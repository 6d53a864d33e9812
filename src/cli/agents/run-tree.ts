// A run as a person reads it: what was asked, each step with its time, tokens and cost, the edge that was taken, and what tools were asked and gave.

import type { WholeRun } from '../../agents/runs/inspect.ts';
import { type PlacedStep, placed } from '../../agents/runs/path.ts';
import type { Model } from '../../model/model.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { printable } from '../report.ts';
import type { Colours } from '../terminal.ts';

type Step = WholeRun['steps'][number];

/** One run in one line of a list. */
export function runLine(run: Values, colours: Colours): string {
  const user = textOf(run['user'] ?? null);
  const parts = [textOf(run['id'] ?? null), textOf(run['started'] ?? null), statusOf(run, colours), named(run), figuresOf(run)];
  return `${parts.join('  ')}${user === '' ? '' : `  for ${user}`}`;
}

export function runTree({ run, steps }: WholeRun, model: Model, port: number, colours: Colours): readonly string[] {
  const user = textOf(run['user'] ?? null);
  const error = run['error'] ?? null;
  const nodes = placed(steps, ({ step }) => step, String(run['agent']), model);
  return [
    `${colours.bold(named(run))} ${statusOf(run, colours)}, ${textOf(run['started'] ?? null)}, ${figuresOf(run)}${user === '' ? '' : `, for ${user}`}`,
    `  asked: ${shortened(run['message'] ?? null)}`,
    ...branches(nodes, 0, '  ', colours),
    ...(error === null ? [] : [colours.red(`  ✗ ${shortened(error)}`)]),
    ...(run['status'] === 'succeeded' ? [`  answered: ${shortened(run['result'] ?? null)}`] : []),
    ...nextActions(run, steps, port).map((each) => colours.dim(`  ${each}`)),
  ];
}

/** Steps of one depth, each with the deeper ones that follow it. */
function branches(nodes: readonly PlacedStep<Step>[], depth: number, margin: string, colours: Colours): readonly string[] {
  const starts = nodes.flatMap((each, index) => (each.depth === depth ? [index] : []));
  return starts.flatMap((start, index) => {
    const end = starts[index + 1] ?? nodes.length;
    const node = nodes[start];
    if (node === undefined) return [];
    const isLast = end === nodes.length;
    const inner = `${margin}${isLast ? '   ' : '│  '}`;
    const { step, calls } = node.item;
    return [
      `${margin}${isLast ? '└─ ' : '├─ '}${stepLine(step, node.next, colours)}`,
      ...calls.map((each) => `${inner}${callLine(each, colours)}`),
      ...branches(nodes.slice(start + 1, end), depth + 1, inner, colours),
      ...(step['status'] === 'succeeded' ? [`${inner}gave: ${shortened(step['result'] ?? null)}`] : []),
    ];
  });
}

function stepLine(step: Values, next: string | undefined, colours: Colours): string {
  const { no = null, model = null, label = null, method = null } = step;
  const status = step['status'] === 'succeeded' ? '' : ` ${statusOf(step, colours)}`;
  const by = model === null ? '' : ` by ${textOf(model)}`;
  const edge = label === null ? textOf(method) : `"${textOf(label)}", ${textOf(method)}`;
  const way = method === null ? '' : colours.cyan(next === undefined ? ` → end (${edge})` : ` → ${printable(next)} (${edge})`);
  return `${textOf(no)} ${colours.bold(named(step))}${status}${by}, ${figuresOf(step)}${way}`;
}

function callLine(call: Values, colours: Colours): string {
  const status = textOf(call['status'] ?? null);
  const line = `${textOf(call['tool'] ?? null)} ${shortened(call['arguments'] ?? null)}`;
  if (status === 'refused' || status === 'rejected') return colours.red(`✗ ${line} ${status}: ${shortened(call['result'] ?? null)}`);
  if (status === 'waiting') return colours.yellow(`… ${line} waits for approval`);
  return `✓ ${line} → ${shortened(call['result'] ?? null)}`;
}

function named(values: Values): string {
  return `${textOf(values['name'] ?? values['agent'] ?? null)} (${textOf(values['kind'] ?? null)})`;
}

function statusOf({ status = null }: Values, colours: Colours): string {
  const text = textOf(status);
  if (text === 'succeeded') return colours.green(text);
  return text === 'failed' || text === 'cancelled' ? colours.red(text) : colours.yellow(text);
}

/** How long it took, what it read and wrote, and what that cost. */
function figuresOf({ started = null, ended = null, inputTokens = 0, outputTokens = 0, cost = null }: Values): string {
  const time = ended === null ? 'not ended' : duration(Date.parse(String(ended)) - Date.parse(String(started)));
  const tokens = Number(inputTokens) + Number(outputTokens) === 0 ? '' : `, ${textOf(inputTokens)} + ${textOf(outputTokens)} tokens`;
  return `${time}${tokens}${cost === null || tokens === '' ? '' : `, cost ${textOf(cost)}`}`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** What can be done about it, to be copied. */
function nextActions({ id = null, status = null }: Values, steps: WholeRun['steps'], port: number): readonly string[] {
  const post = (action: string): string => `curl -X POST localhost:${port}/platform.ai/Run/${textOf(id)}/${action}`;
  const isAsked = steps.some(({ calls }) => calls.some((each) => each['status'] === 'waiting'));
  if (status === 'waiting' && !isAsked) return [`${post('resume')} -H 'content-type: application/json' -d '{"data": …}'`];
  if (status === 'waiting') return [post('approve'), post('reject')];
  return status === 'interrupted' || status === 'failed' ? [post('resume')] : [];
}

const longest = 200;

/** As JSON, so that texts are told from what is around them, and not without end. */
function shortened(value: Value): string {
  const text = printable(writeJson(value));
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

function textOf(value: Value): string {
  return value === null ? '' : printable(typeof value === 'string' ? value : writeJson(value));
}
