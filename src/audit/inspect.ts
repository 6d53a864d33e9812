// The audit trail for an operator who has the store and the key: whether it holds, and what is in it.

import type { Clock } from '../clock.ts';
import { auditEntry } from '../model/builtin.ts';
import type { Plan } from '../plan/plan.ts';
import { both, type Condition, everything } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import type { StoreSettings } from '../store/open.ts';
import { readSnapshot } from '../store/snapshot.ts';
import { StartRefused } from '../store/store.ts';
import { parseStored } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';
import type { AuditSettings } from './audit.ts';
import { readAnchor, readKey } from './files.ts';
import { signerWith } from './signer.ts';
import { trailOf } from './trail.ts';
import { type Finding, type Verification, verifyTrail } from './verify.ts';

export interface InspectParts {
  readonly plan: Plan;
  readonly store: StoreSettings;
  readonly audit: AuditSettings;
  readonly clock: Clock;
}

/** One state of the store, also while the service runs. */
export async function verifyStored({ plan, store, audit, clock }: InspectParts, found: (finding: Finding) => void): Promise<Verification> {
  const key = readKey(audit.key);
  if (key === undefined) throw new StartRefused(`The key of the audit trail is not there: ${audit.key}. Nothing can be proved without it.`);
  // Read before the store is: what it knows must be there by then.
  const anchor = readAnchor(audit.anchor);
  const parts = { trail: trailOf(plan), signer: signerWith(key), anchor, found };
  return readSnapshot({ settings: store, clock, tables: plan.tables }, (reader) => verifyTrail(parts, reader));
}

export interface EntryFilter {
  readonly type?: string | undefined;
  readonly instance?: string | undefined;
  readonly user?: string | undefined;
  /** Moments, as ISO 8601 has them. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** So many of the newest. */
  readonly limit: number;
}

/** The oldest first; each as the current surface shows it. */
export function entriesIn({ plan, store, clock }: Omit<InspectParts, 'audit'>, filter: EntryFilter): Promise<readonly Values[]> {
  const entry = plan.entities.get(auditEntry);
  if (entry === undefined) throw new Error('the audit trail is part of every model where it is on');
  const conditions: readonly (readonly [column: string, operator: 'eq' | 'gte' | 'lte', value: string | undefined])[] = [
    ['type', 'eq', filter.type],
    ['instance', 'eq', filter.instance],
    ['user', 'eq', filter.user],
    ['time', 'gte', filter.since],
    ['time', 'lte', filter.until],
  ];
  const given = conditions.filter(([, , value]) => value !== undefined);
  const where = given.map(([column, operator]): Condition => ({ kind: 'compare', column, operator })).reduce(both, everything);
  const select: Select = {
    kind: 'select',
    table: entry.table,
    output: entry.output,
    where,
    order: [{ column: 'id', descending: true }],
    limit: true,
    offset: false,
  };
  const values: readonly Value[] = [...given.map(([, , value]) => value ?? null), filter.limit];
  return readSnapshot({ settings: store, clock, tables: plan.tables }, async (reader) =>
    (await reader.rows(select, values)).map(({ json }) => parseStored(json)).reverse(),
  );
}
