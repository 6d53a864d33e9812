// `GET /platform/status`: how the service is doing: the process, the store and its schema, instances, timers, resolvers, and calls that are pending.

import { OwnTable } from '../engine/own-table.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { pendingCall } from '../model/builtin.ts';
import { timerType } from '../model/timers/timers.ts';
import { storeFigures } from '../store/figures.ts';
import { migrationStatus } from '../store/migration/migration.ts';
import { readSchemaOf } from '../store/snapshot.ts';
import { keptTimers } from '../timers/inspect.ts';
import { jsonAnswer, orStoreFailure, parametersIn } from './answer.ts';
import type { OperatorParts } from './operators.ts';

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
  const [{ instances, ...figures }, { pending, history, retired }] = await readSchemaOf(settings.store, clock, async (session) => [
    await storeFigures(session, settings.store.type),
    await migrationStatus(session, plan.tables),
  ]);
  const last = history.at(-1);
  const [timers, calls] = await store.read(async (reader) => {
    const entity = plan.entities.get(pendingCall);
    return [
      plan.entities.has(timerType) ? await keptTimers(plan, reader) : [],
      entity === undefined ? [] : await new OwnTable(entity.table).all(reader, {}),
    ];
  });
  return {
    store: { type: settings.store.type, ready: true, ...figures },
    schema: {
      fits: pending.length === 0,
      migrations: history.length,
      ...(last === undefined ? {} : { last: { number: last.number, time: last.time, kind: last.kind, version: last.version } }),
      retired: retired.length,
    },
    instances: instances ?? [{ id: String(process.pid), since: started.toISOString(), address: null }],
    timers,
    pending: calls.map((row) => Object.fromEntries(shown.map((name) => [name, plain(row[name])]))),
  };
}

/** Of a pending call; what is sent with it may be secret. */
const shown = ['id', 'resolver', 'operation', 'type', 'instance', 'since', 'attempts', 'error'];

/** Counts come from a server as texts. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
