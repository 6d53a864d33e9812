// What only operators may ask of a running service, by `<method> <path>`: each answer is loaded with the first request for it.

import type { OperatorAnswer } from '../http/platform/platform.ts';
import type { OperatorParts } from './parts.ts';

export function operatorAnswers(parts: OperatorParts): ReadonlyMap<string, OperatorAnswer> {
  const [backups, verifications] = [new Set<string>(), new Set<string>()];
  return new Map<string, OperatorAnswer>([
    ['GET /platform/access', async (request) => (await import('./access.ts')).accessAnswer(request, parts)],
    ['GET /platform/explain', async (request) => (await import('./explain.ts')).explainedAnswer(request, parts)],
    ['GET /platform/migrations', async (request) => (await import('./migrations.ts')).migrationsAnswer(request, parts)],
    ['GET /platform/source', async (request) => (await import('./source.ts')).sourceAnswer(request, parts)],
    ['GET /platform/status', async (request) => (await import('./status.ts')).statusAnswer(request, parts)],
    ['POST /platform/audit/verify', async (request) => (await import('./audit.ts')).verifyAnswer(request, parts, verifications)],
    ['POST /platform/backup', async (request, caller) => (await import('./backup.ts')).backupAnswer(request, caller, parts, backups)],
  ]);
}
