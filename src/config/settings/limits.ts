// The limits of requests: their rows of the table of settings, and what they become.

import type { EngineLimits } from '../../engine/operation.ts';
import type { SurfaceLimits } from '../../http/rest/operations.ts';
import { integer, optionalInteger, type Setting } from '../setting.ts';

export interface Limits {
  /** Bytes of a body. */
  readonly body: number;
  /** Levels of nesting in a body. */
  readonly depth: number;
  /** Keys, and items of arrays, in a body. */
  readonly keys: number;
  /** Bytes of a URL. */
  readonly url: number;
  /** Instances in one answer of a list; absent: all of them, streamed. */
  readonly page: number | undefined;
  /** Bytes that a request may hold at once. */
  readonly memory: number;
  /** Bytes that all requests together may hold; absent: a share of the heap. */
  readonly memoryTotal: number | undefined;
  readonly tree: { readonly depth: number; readonly size: number; readonly bytes: number };
  /** Of one event: steps, with every row that it reads, and seconds. */
  readonly flow: { readonly steps: number; readonly time: number };
  /** Milliseconds that a function of the application may hold up everybody. */
  readonly function: number;
  /** Queued runs of agents that this process works on at the same time. */
  readonly runs: number;
  /** Seconds until a request is cut. */
  readonly timeout: number;
  /** Open streams of changes, those of one caller, and instances that one of them watches. */
  readonly streams: { readonly open: number; readonly caller: number; readonly rows: number };
}

const mebibyte = 1024 * 1024;

export const limitRows = {
  body: integer('service.limits.body', { min: 1024, max: 32 * mebibyte }, { default: mebibyte, description: 'Bytes of a request body.' }),
  depth: integer('service.limits.depth', { min: 1, max: 1000 }, { default: 64, description: 'Levels of nesting in a body.' }),
  keys: integer(
    'service.limits.keys',
    { min: 1, max: 1_000_000 },
    {
      default: 10_000,
      description: 'Keys in a body, and items in an array of it.',
    },
  ),
  url: integer('service.limits.url', { min: 256, max: 65_536 }, { default: 8192, description: 'Bytes of a URL.' }),
  page: optionalInteger(
    'service.limits.page',
    { min: 1, max: 1_000_000_000 },
    {
      default: undefined,
      description: 'Instances in one answer of a list. Without it a list without `@limit` gives all of them.',
    },
  ),
  memory: integer(
    'service.limits.memory',
    { min: 262_144, max: 268_435_456 },
    {
      default: 16 * mebibyte,
      description: 'Bytes that a request may hold at once: a part of a list, or an instance with what it includes.',
    },
  ),
  memoryTotal: optionalInteger(
    'service.limits.memoryTotal',
    { min: 1_048_576, max: 68_719_476_736 },
    {
      default: undefined,
      description: 'Bytes that all requests together may hold. Without it a quarter of the heap, at most 48 MiB.',
    },
  ),
  treeBytes: integer(
    'service.limits.tree.bytes',
    { min: 1024, max: 268_435_456 },
    { default: 16 * mebibyte, description: 'Bytes of a tree read.' },
  ),
  treeDepth: integer('service.limits.tree.depth', { min: 1, max: 100 }, { default: 10, description: 'Levels that a tree read goes down.' }),
  treeSize: integer(
    'service.limits.tree.size',
    { min: 1, max: 10_000_000 },
    { default: 10_000, description: 'Instances in a tree read, and below what is moved.' },
  ),
  flowSteps: integer(
    'service.limits.flow.steps',
    { min: 1, max: 1_000_000_000 },
    {
      default: 100_000,
      description:
        'Steps of one event: what its workflow does, and the rows that it reads. Of any other write: the instances whose attributes it computes anew.',
    },
  ),
  flowTime: integer(
    'service.limits.flow.time',
    { min: 1, max: 3600 },
    { default: 10, description: 'Seconds that one event may take, or computing what follows from any other write.' },
  ),
  function: integer(
    'service.limits.function',
    { min: 10, max: 3_600_000 },
    {
      default: 1000,
      description: 'Milliseconds that one call of a function of the application may take while everybody else waits for it.',
    },
  ),
  runs: integer(
    'service.limits.runs',
    { min: 1, max: 1000 },
    {
      default: 4,
      description: 'Runs that triggers have queued and that one process works on at the same time; the others wait for their turn.',
    },
  ),
  streams: integer(
    'service.limits.streams.open',
    { min: 0, max: 100_000 },
    { default: 2000, description: 'Streams of changes that are open at once.' },
  ),
  streamsEach: integer(
    'service.limits.streams.caller',
    { min: 1, max: 100_000 },
    { default: 100, description: 'Those of one user; of one address where nobody is signed in.' },
  ),
  streamRows: integer(
    'service.limits.streams.rows',
    { min: 1, max: 10_000_000 },
    { default: 100_000, description: 'Instances that one stream watches, where they are not all of their type.' },
  ),
  timeout: integer('service.limits.timeout', { min: 1, max: 3600 }, { default: 30, description: 'Seconds until a request is cut.' }),
} as const;

export function limitSettings(value: <T>(row: Setting<T>) => T): Limits {
  const rows = limitRows;
  return {
    body: value(rows.body),
    depth: value(rows.depth),
    keys: value(rows.keys),
    url: value(rows.url),
    page: value(rows.page),
    memory: value(rows.memory),
    memoryTotal: value(rows.memoryTotal),
    tree: { depth: value(rows.treeDepth), size: value(rows.treeSize), bytes: value(rows.treeBytes) },
    flow: { steps: value(rows.flowSteps), time: value(rows.flowTime) },
    function: value(rows.function),
    runs: value(rows.runs),
    timeout: value(rows.timeout),
    streams: { open: value(rows.streams), caller: value(rows.streamsEach), rows: value(rows.streamRows) },
  };
}

/** What the engine is held to. */
export function engineLimits({ limits: { memory, tree, flow } }: { readonly limits: Limits }): EngineLimits {
  return { memory, tree: { instances: tree.size, depth: tree.depth, bytes: tree.bytes }, flow };
}

/** What requests are held to before the engine sees them. */
export function surfaceLimits({ limits: { page, depth, keys, body } }: { readonly limits: Limits }): SurfaceLimits {
  return { page, json: { depth, keys, items: keys, bytes: body } };
}
