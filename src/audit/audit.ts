// The audit trail of a running service: opened with its key, handed to the engine as a recorder, sealed in the background.

import type { Clock } from '../clock.ts';
import type { Recorder } from '../engine/seams.ts';
import { isError } from '../errors.ts';
import type { Plan } from '../plan/plan.ts';
import { StartRefused, type Store } from '../store/store.ts';
import { makeKeys, readKeys } from './files.ts';
import { type Signer, signerWith } from './hash-chain.ts';
import { auditRecorder } from './recorder.ts';
import { Sealer, type SealLog } from './sealer.ts';
import { type SealState, type Trail, trailOf } from './trail.ts';

export interface AuditSettings {
  /** Files, with their paths in full. */
  readonly key: string;
  readonly anchor: string;
  /** Days that entries are kept; absent: for good. */
  readonly keep: number | undefined;
}

export interface AuditParts {
  readonly settings: AuditSettings;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: SealLog;
}

export interface Audit {
  /** For a model whose tables are there. */
  recorder(plan: Plan): Promise<Recorder>;
  /** Seals what is left. */
  close(): Promise<void>;
}

export function createAudit({ settings, store, clock, log }: AuditParts): Audit {
  let opened: { readonly signer: Signer; readonly sealer: Sealer } | undefined;
  const open = async (plan: Plan) => {
    const trail = trailOf(plan);
    const signer = await signerFor(settings.key, trail, store);
    const sealer = new Sealer({ store, clock, signer, trail, log, anchorFile: settings.anchor, keep: settings.keep });
    await sealer.open();
    return { signer, sealer };
  };
  return {
    async recorder(plan) {
      opened ??= await open(plan);
      const { signer, sealer } = opened;
      const recorder = auditRecorder({ plan, signer, written: () => sealer.written() });
      if (recorder.isIdle === true)
        log.warn('the audit trail is on, and nothing of the model is marked for it: @meta {"audit": true}, or :meta {:audit true}');
      return recorder;
    },
    async close() {
      await opened?.sealer.close();
    },
  };
}

/** Entries that an unknown key has signed could not be told from forged ones. */
async function signerFor(file: string, trail: Trail, store: Store): Promise<Signer> {
  const known = await store.read((tx) => trail.state(tx));
  const keys = readKeys(file) ?? (known === undefined ? makeKeys(file) : undefined);
  if (keys === undefined)
    throw new StartRefused(`The key of the audit trail is not there: put ${file} back, or say with auditTrail.key where it is.`);
  const signer = signerWith(keys);
  const [current = ''] = signer.keyNames;
  const state = known ?? (await claim(current, trail, store));
  if (!signer.keyNames.includes(state.key))
    throw new StartRefused(`${file} is not the key that the audit trail of this store was begun with; see auditTrail.key.`);
  // A new key was put in front of the one that was used so far.
  if (state.key !== current) await store.write((tx) => trail.setKey(tx, current));
  return signer;
}

/** Whoever comes first says which key it is. */
async function claim(key: string, trail: Trail, store: Store): Promise<SealState> {
  try {
    await store.write((tx) => trail.addState(tx, key));
  } catch (thrown) {
    if (!isError(thrown, 'duplicate')) throw thrown;
  }
  const state = await store.read((tx) => trail.state(tx));
  if (state === undefined) throw new Error('the state of the audit trail was removed while it was made');
  return state;
}
