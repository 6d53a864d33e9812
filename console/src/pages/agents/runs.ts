// The runs of agents as the API keeps them: a run, its steps, and the calls of tools in each.

import { systemName } from '../../api/accounts.ts';
import { listOf, type Row, readInstance, readPage } from '../../api/instances.ts';
import type { EntityDescription, ModelDescription } from '../../api/model.ts';
import { call } from '../../api/request.ts';
import { settings } from '../../api/settings.ts';

export interface Run {
  readonly id: string;
  readonly agent: string;
  readonly kind: string;
  readonly status: string;
  readonly user: string | undefined;
  readonly started: string;
  readonly ended: string | undefined;
  readonly message: string | undefined;
  readonly result: unknown;
  readonly error: unknown;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: string | undefined;
  readonly steps: readonly RunStep[];
}

export interface RunStep {
  readonly no: number;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly input: string | undefined;
  readonly result: unknown;
  /** The condition of the edge that was taken, and how it was found. */
  readonly label: string | undefined;
  readonly method: string | undefined;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: string | undefined;
  readonly started: string | undefined;
  readonly ended: string | undefined;
  readonly calls: readonly RunCall[];
}

export interface RunCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly result: unknown;
  readonly status: string;
}

const modules = ['platform.ai', 'Platform.Core'];

/** Absent where the caller may read no runs. */
export function runEntity({ entities }: ModelDescription): EntityDescription | undefined {
  return entities.find((each) => each.local === 'Run' && modules.includes(each.module) && each.operations.read !== 'none');
}

/** The newest first. */
export async function readRuns(
  entity: EntityDescription,
  filter: Readonly<Partial<Record<'status' | 'agent', string>>>,
  signal: AbortSignal,
): Promise<readonly Run[]> {
  const conditions = Object.entries(filter).map(([name, value]) => `${systemName(entity, name)}=${encodeURIComponent(value)}`);
  const query = [...conditions, `@sort=-${systemName(entity, 'started')}`, '@limit=20'].join('&');
  const { rows } = await readPage(`${entity.path}?${query}`, signal);
  return rows.map(runOf);
}

export async function readRun(entity: EntityDescription, id: string, signal?: AbortSignal): Promise<Run> {
  const { row } = await readInstance(`${entity.path}/${encodeURIComponent(id)}?@include=RunStep.StepToolCall`, signal);
  return runOf(row);
}

export type Decision = 'approve' | 'reject' | 'cancel' | 'resume';

interface Waiting extends RunCall {
  readonly step: number;
}

export function waitingIn({ steps }: Run): Waiting | undefined {
  return steps.flatMap(({ no, calls }) => calls.map((each) => ({ ...each, step: no }))).find(({ status }) => status === 'waiting');
}

/** `named` is the call that somebody has seen: the run may wait for another one by now. */
export async function decide(entity: EntityDescription, id: string, decision: Decision, named?: Waiting): Promise<void> {
  const path = `${entity.path}/${encodeURIComponent(id)}/${decision}`;
  await call({ method: 'POST', path, ...(named === undefined ? {} : { body: { call: named.id, step: named.step } }) });
}

/** What a run waits for that a resolver has suspended: any JSON. */
export async function giveData(entity: EntityDescription, id: string, data: unknown): Promise<void> {
  await call({ method: 'POST', path: `${entity.path}/${encodeURIComponent(id)}/resume`, body: { data } });
}

/** How soon a run is read again: others decide about it too, and what goes on ends. */
export function untilReadAgain(status: string | undefined): number | false {
  if (status === 'waiting') return 5000;
  return isUnderWay(status) ? 2000 : false;
}

export function isUnderWay(status: string | undefined): boolean {
  return status === 'running' || status === 'queued';
}

/** What an agent is sent; on the earlier surface under its name. */
export function messageTo(agent: string, message: string, conversation: string): unknown {
  return settings.surface === 'earlier' ? { [agent]: { UserInstruction: message } } : { message, conversation };
}

function runOf(written: Row): Run {
  const row = currentNames(written);
  return {
    id: text(row['id']) ?? '',
    agent: text(row['agent']) ?? '',
    kind: text(row['kind']) ?? '',
    status: text(row['status']) ?? '',
    user: text(row['user']),
    started: text(row['started']) ?? '',
    ended: text(row['ended']),
    message: text(row['message']),
    result: row['result'],
    error: row['error'] ?? undefined,
    inputTokens: Number(row['inputTokens'] ?? 0),
    outputTokens: Number(row['outputTokens'] ?? 0),
    cost: text(row['cost']),
    steps: included(row, 'RunStep')
      .map(stepOf)
      .sort((a, b) => a.no - b.no),
  };
}

function stepOf(written: Row): RunStep {
  const row = currentNames(written);
  return {
    no: Number(row['no']),
    name: text(row['name']) ?? '',
    kind: text(row['kind']) ?? '',
    status: text(row['status']) ?? '',
    input: text(row['input']),
    result: row['result'],
    label: text(row['label']),
    method: text(row['method']),
    model: text(row['model']),
    inputTokens: Number(row['inputTokens'] ?? 0),
    outputTokens: Number(row['outputTokens'] ?? 0),
    cost: text(row['cost']),
    started: text(row['started']),
    ended: text(row['ended']),
    calls: included(row, 'StepToolCall')
      .map(currentNames)
      .map((each) => ({ no: Number(each['no'] ?? 0), call: callOf(each) }))
      .sort((a, b) => a.no - b.no)
      .map(({ call: found }) => found),
  };
}

function callOf(row: Row): RunCall {
  return {
    id: text(row['id']) ?? '',
    tool: text(row['tool']) ?? '',
    arguments: row['arguments'],
    result: row['result'],
    status: text(row['status']) ?? '',
  };
}

/** Attributes of the service begin with an upper-case letter on the earlier surface; relationships do on both. */
function currentNames(row: Row): Row {
  if (settings.surface === 'current') return row;
  const names = Object.entries(row).map(([name, value]) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, value] as const);
  return { ...row, ...Object.fromEntries(names) };
}

/** The earlier surface may name relationships in full. */
function included(row: Row, relationship: string): readonly Row[] {
  const key = Object.keys(row).find((each) => each === relationship || each.endsWith(`/${relationship}`));
  return key === undefined ? [] : listOf(row[key]);
}

function text(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : typeof value === 'string' ? value : String(value);
}
