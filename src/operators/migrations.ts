// `GET /platform/migrations`: what the model of the project would change in the tables, in words, what was changed so far, and what is retired.

import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { compile } from '../plan/compile.ts';
import { migrationStatus } from '../store/migration/migration.ts';
import { statusData } from '../store/migration/status-data.ts';
import { readSchemaOf } from '../store/snapshot.ts';
import { StartRefused } from '../store/store.ts';
import { jsonAnswer, orStoreFailure, parametersIn } from './answer.ts';
import type { OperatorParts } from './parts.ts';

export async function migrationsAnswer(request: HttpRequest, { plan, settings, clock, project }: OperatorParts): Promise<HttpResponse> {
  parametersIn(request);
  const newest = await project?.newest().catch(unreadable);
  const { tables } = newest === undefined ? plan : compile(newest);
  const status = await orStoreFailure(() => readSchemaOf(settings.store, clock, (session) => migrationStatus(session, tables)));
  const isUnreadable = project !== undefined && newest === undefined;
  return jsonAnswer({
    ...statusData(status),
    ...(isUnreadable ? { note: 'The files of the model have errors, or are not there: this is about the model that is served.' } : {}),
  });
}

/** A folder that is not there any more has no model either. */
function unreadable(thrown: unknown): undefined {
  if (!(thrown instanceof StartRefused)) throw thrown;
}
