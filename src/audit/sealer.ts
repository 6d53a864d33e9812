// When the trail is sealed and pruned, and by whom: soon after something was written, by one process at a time.

import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { type Anchor, readAnchor, writeAnchor } from './files.ts';
import { chainEnd, type Signer } from './hash-chain.ts';
import { pruneNext } from './prune.ts';
import { isHeld, type SealParts, sealNext } from './seal-block.ts';
import { Lease } from './sealer-lease.ts';
import type { Trail } from './trail.ts';

export interface SealerParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly trail: Trail;
  readonly anchorFile: string;
  /** Days that entries are kept; absent: for good. */
  readonly keep: number | undefined;
  readonly log: SealLog;
}

export interface SealLog {
  warn(line: string): void;
  failed(thrown: unknown, what: string): void;
  error(line: string): void;
}

/** Milliseconds between what is written and its seal. */
const pause = 400;
const day = 24 * 3600 * 1000;
const pruneEvery = 3600 * 1000;

export class Sealer {
  readonly #parts: SealerParts;
  readonly #lease: Lease | undefined;
  #anchor: Anchor | undefined;
  /** The end was cut off: the anchor stays what it is, as the proof of that. */
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  /** One step after the other. */
  #running: Promise<void> = Promise.resolve();
  #closed = false;
  #hasFailed = false;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SealerParts) {
    this.#parts = parts;
    this.#lease = parts.store.isShared ? new Lease(parts) : undefined;
  }

  /** What a process left behind that ended early is sealed first. */
  async open(): Promise<void> {
    const { store, trail, anchorFile } = this.#parts;
    this.#anchor = readAnchor(anchorFile);
    const anchor = this.#anchor;
    const last = await store.read((tx) => trail.lastBlock(tx));
    if (anchor !== undefined && !(await store.read((tx) => isHeld(anchor, last, trail, tx)))) this.#noteCut();
    if (anchor === undefined) {
      if (last !== undefined)
        this.#parts.log.warn(`there is no anchor of the audit trail at ${anchorFile}: it is made anew, at block ${last.number}`);
      await this.#advance({ block: last?.number ?? 0, signature: chainEnd(last) });
    }
    this.#schedule(0);
  }

  /** Something was committed that is to be sealed. */
  written(): void {
    this.#schedule(pause);
  }

  /** Seals what is left. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#seal(true);
  }

  #schedule(delay: number): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#running.then(async () => {
        await this.#seal(false);
        // Where others write too, nobody tells of it.
        if (this.#lease !== undefined || this.#hasFailed) this.#schedule(pause);
      });
    }, delay).unref();
  }

  /** A failure is told once; it is tried again until it goes. */
  async #seal(isLast: boolean): Promise<void> {
    try {
      await this.#keepState();
      if (this.#lease === undefined || (await this.#lease.isHeld())) await this.#sealAll();
      else await this.#follow();
      if (isLast) await this.#lease?.release();
      this.#hasFailed = false;
    } catch (thrown) {
      if (!this.#hasFailed || isLast) this.#parts.log.failed(thrown, 'sealing the audit trail');
      this.#hasFailed = true;
    }
  }

  /** Without its row nobody could seal any more. Only somebody who alters the store removes it. */
  async #keepState(): Promise<void> {
    const { store, trail, signer, log } = this.#parts;
    if ((await store.read((tx) => trail.state(tx))) !== undefined) return;
    log.error('the state of the audit trail was removed from the store, and is made anew; see platform audit verify');
    await store.write(async (tx) => {
      if ((await trail.state(tx)) === undefined) await trail.addState(tx, signer.keyNames[0] ?? '');
    });
  }

  /** What is there by now. What is written meanwhile has its time: sealed one by one, it would cost more than it is itself. */
  async #sealAll(): Promise<void> {
    const { store, trail } = this.#parts;
    const [waiting] = await store.read((tx) => trail.unsealedAfter(tx, undefined, 1));
    for (let isMore = waiting !== undefined; isMore; ) {
      const sealed = await store.write((tx) => sealNext(this.#sealParts(), tx));
      if (sealed.kind === 'lost') this.#lease?.lose();
      if (sealed.kind !== 'sealed') return;
      if (sealed.isCut) this.#noteCut();
      await this.#advance({ block: sealed.block.number, signature: sealed.block.signature });
      isMore = sealed.isFull;
    }
    await this.#prune();
  }

  /** What another process seals is known here too. */
  async #follow(): Promise<void> {
    const { store, trail } = this.#parts;
    const last = await store.read((tx) => trail.lastBlock(tx));
    const known = this.#anchor;
    if (known?.block === last?.number && known?.signature === (last && chainEnd(last))) return;
    if (known !== undefined && !(await store.read((tx) => isHeld(known, last, trail, tx)))) this.#noteCut();
    if (last !== undefined) await this.#advance({ block: last.number, signature: chainEnd(last) });
  }

  async #prune(): Promise<void> {
    const { keep, clock, store, log } = this.#parts;
    const now = clock.now().getTime();
    if (keep === undefined || now - this.#prunedAt < pruneEvery) return;
    for (;;) {
      const done = await store.write((tx) => pruneNext(this.#sealParts(), now - keep * day, tx));
      if (done.kind === 'broken')
        log.error(`the audit trail is not pruned: block ${done.block} is not as it was sealed; see platform audit verify`);
      if (done.kind === 'broken' || done.blocks === 0) break;
    }
    this.#prunedAt = now;
  }

  #sealParts(): SealParts {
    const { trail, signer, clock } = this.#parts;
    return { trail, signer, clock, holder: this.#lease?.name, anchor: this.#anchor };
  }

  async #advance(anchor: Anchor): Promise<void> {
    if (this.#isCut) return;
    this.#anchor = anchor;
    await writeAnchor(this.#parts.anchorFile, anchor);
  }

  #noteCut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#parts.log.error(`the end of the audit trail was cut off: block ${this.#anchor?.block} is not there; see platform audit verify`);
  }
}
