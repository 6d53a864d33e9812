// `GET /platform/status`: how the service is doing: the process, the store and its schema, instances, timers, resolvers, and calls that are pending.

import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { pendingCall } from '../model/builtin.ts';
import { timerType } from '../model/timers/timers.ts';
import { everything } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import { storeFigures } from '../store/figures.ts';
import { schemaFigures } from '../store/migration/migration.ts';
import { readSchemaOf } from '../store/snapshot.ts';
import type { Reader } from '../store/store.ts';
import { keptTimers } from '../timers/inspect.ts';
import { jsonAnswer, orStoreFailure, parametersIn } from './answer.ts';
import type { OperatorParts } from './parts.ts';

export async function statusAnswer(request: HttpRequest, parts: OperatorParts): Promise<HttpResponse> {
  parametersIn(request);
  const { name, version, store, settings, started, clock } = parts;
  const isReady = await store.ready();
  const now = clock.now();
  return jsonAnswer({
    application: { name, version },
    process: {
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      started: started.toISOString(),
      seconds: Math.max(0, Math.round((now.getTime() - started.getTime()) / 1000)),
      memory: process.memoryUsage().rss,
    },
    store: { type: settings.store.type, ready: isReady },
    resolvers: parts.resolvers(),
    // A store that cannot be asked would only be waited for.
    ...(isReady ? await orStoreFailure(() => stored(parts)) : {}),
  });
}

async function stored({ plan, store, settings, clock, started }: OperatorParts): Promise<Readonly<Record<string, unknown>>> {
  const [{ instances, ...figures }, { fits, history, retired }] = await readSchemaOf(settings.store, clock, async (session) => [
    await storeFigures(session, settings.store.type),
    await schemaFigures(session, plan.tables),
  ]);
  const last = history.at(-1);
  const [timers, calls] = await store.read(async (reader) => {
    const entity = plan.entities.get(pendingCall);
    return [
      plan.entities.has(timerType) ? await keptTimers(plan, reader) : [],
      entity === undefined ? nonePending : await pendingIn(entity.table, reader),
    ];
  });
  return {
    store: { type: settings.store.type, ready: true, ...figures },
    schema: {
      fits,
      migrations: history.length,
      ...(last === undefined ? {} : { last: { number: last.number, time: last.time, kind: last.kind, version: last.version } }),
      retired,
    },
    instances: instances ?? [{ id: String(process.pid), since: started.toISOString(), address: null }],
    timers,
    pending: calls.first,
    pendingCount: calls.count,
  };
}

interface PendingCalls {
  readonly first: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
}

const nonePending: PendingCalls = { first: [], count: 0 };
/** So many are told one by one. */
const mostPending = 100;

async function pendingIn(table: Table, reader: Reader): Promise<PendingCalls> {
  const output = { fields: [], columns: shown };
  const select: Select = { kind: 'select', table, output, where: everything, order: [], limit: false, offset: false };
  const oldest: Select = { ...select, order: [{ column: 'since', descending: false }], limit: true };
  const rows = await reader.rows(oldest, [mostPending]);
  const first = rows.map(({ columns }) => Object.fromEntries(shown.map((name, index) => [name, plain(columns[index])])));
  return { first, count: first.length < mostPending ? first.length : await reader.count(select, []) };
}

/** Of a pending call; what is sent with it may be secret. */
const shown = ['id', 'resolver', 'operation', 'type', 'instance', 'since', 'attempts', 'error'];

/** Counts come from a server as texts. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
