// The audit trail for an operator who has the store and the key: whether it holds, what is in it, and a new key for it.

import type { Clock } from '../clock.ts';
import { error } from '../errors.ts';
import { auditEntry } from '../model/builtin.ts';
import type { Plan } from '../plan/plan.ts';
import { both, type Condition, everything } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import { openStore, type StoreSettings } from '../store/open.ts';
import { readSnapshot } from '../store/snapshot.ts';
import { StartRefused, type Store } from '../store/store.ts';
import { parseStored } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';
import type { AuditSettings } from './audit.ts';
import { addKey, readAnchor, readKeys } from './files.ts';
import { signerWith } from './hash-chain.ts';
import { Lease, patience } from './sealer-lease.ts';
import { type Trail, trailOf } from './trail.ts';
import { type Finding, type Verification, type VerifyParts, verifyTrail } from './verify.ts';

export interface InspectParts {
  readonly plan: Plan;
  readonly store: StoreSettings;
  readonly audit: AuditSettings;
  readonly clock: Clock;
}

/** One state of the store, also while the service runs. */
export async function verifyStored({ plan, store, audit, clock }: InspectParts, found: (finding: Finding) => void): Promise<Verification> {
  const keys = readKeys(audit.key);
  if (keys === undefined)
    throw new StartRefused(`The key of the audit trail is not there: ${audit.key}. Nothing can be proved without it.`);
  // Read before the store is: what it knows must be there by then.
  const anchor = readAnchor(audit.anchor);
  const parts = { trail: trailOf(plan), signer: signerWith(keys), anchor, found };
  return readSnapshot({ settings: store, clock, tables: plan.tables }, (reader) => verifyTrail(parts, reader));
}

export interface ServedTrail {
  readonly plan: Plan;
  readonly store: Store;
  readonly audit: AuditSettings;
}

/** Of a service that runs, by its own store; `known` is the last block that the anchor knows, once that is read. */
export async function verifyServed(
  { plan, store, audit }: ServedTrail,
  {
    found,
    progress,
  }: Required<Pick<VerifyParts, 'found'>> & { progress(checked: { blocks: number; sealed: number; known: number }): Promise<void> },
): Promise<Verification> {
  const keys = readKeys(audit.key);
  if (keys === undefined)
    throw error('store-failed', { detail: 'The key of the audit trail is not there. Nothing can be proved without it.' });
  // Read before the store is: what it knows must be there by then.
  const anchor = readAnchor(audit.anchor);
  const known = anchor?.block ?? 0;
  const parts: VerifyParts = {
    ...{ trail: trailOf(plan), signer: signerWith(keys), anchor, found },
    progress: ({ blocks, sealed }) => progress({ blocks, sealed, known }),
  };
  return store.read((reader) => verifyTrail(parts, reader), { consistent: true, pauses: true });
}

/** Puts a new key in front of the one that entries are signed with, while nobody writes any. */
export async function rotateStored({ plan, store: settings, audit, clock }: InspectParts, version: string): Promise<number> {
  const store = openStore(settings, clock);
  try {
    await store.migrate(plan.tables, { version });
    return await rotateKey({ keyFile: audit.key, store, clock, trail: trailOf(plan) });
  } finally {
    await store.close();
  }
}

interface RotateParts {
  readonly keyFile: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly trail: Trail;
}

/** Gives how many keys there are then. From the next start on the new one is used, and those before it prove what they have signed. */
async function rotateKey({ keyFile, store, clock, trail }: RotateParts): Promise<number> {
  const keys = readKeys(keyFile);
  const state = await store.read((tx) => trail.state(tx));
  if (keys === undefined || state === undefined) throw new StartRefused('There is no audit trail yet: its key is made at the first start.');
  if (!signerWith(keys).keyNames.includes(state.key))
    throw new StartRefused(`${keyFile} is not the key that the audit trail of this store was begun with; see auditTrail.key.`);
  const lease = new Lease({ store, clock, trail });
  if (store.isShared && !(await isTaken(lease)))
    throw new StartRefused('The service runs, with the key that is to be replaced: stop all of its instances first.');
  try {
    const [unsealed] = await store.read((tx) => trail.unsealedAfter(tx, undefined, 1));
    // The new key seals nothing that the old one has signed.
    if (unsealed !== undefined) throw new StartRefused('Not all entries are sealed yet: start the service, and stop it, first.');
    return addKey(keyFile, keys).length;
  } finally {
    await lease.release();
  }
}

/** Whoever has ended without giving it back is waited for as long as others would. */
async function isTaken(lease: Lease): Promise<boolean> {
  const pause = 250;
  for (let waited = 0; waited <= patience + 4 * pause; waited += pause) {
    if (await lease.isHeld()) return true;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return false;
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
