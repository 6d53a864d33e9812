// A service with an audit trail, and a look at whether the trail holds.

import { join } from 'node:path';
import { type InspectParts, verifyStored } from '../../src/audit/inspect.ts';
import type { Finding, Verification } from '../../src/audit/verify.ts';
import { systemClock } from '../../src/clock.ts';
import { compile } from '../../src/plan/compile.ts';
import { modelOf, type Project, type Served } from '../support/app.ts';

export interface Verified extends Verification {
  readonly found: readonly Finding[];
}

export function inspected(project: Project, { folder, kept }: Pick<Served, 'folder' | 'kept'>): InspectParts {
  return {
    plan: compile(modelOf(project, folder, ['audit'])),
    store: kept.settings,
    audit: { key: join(folder, 'audit-key'), anchor: join(folder, 'audit-anchor'), keep: undefined },
    clock: systemClock(),
  };
}

export async function verified(project: Project, served: Pick<Served, 'folder' | 'kept'>): Promise<Verified> {
  const found: Finding[] = [];
  const result = await verifyStored(inspected(project, served), (finding) => found.push(finding));
  return { ...result, found };
}
