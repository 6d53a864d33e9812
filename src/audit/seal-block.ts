// One step of sealing: the entries that are in no block yet become the next one, in one transaction.

import type { Clock } from '../clock.ts';
import type { Reader, Writer } from '../store/store.ts';
import type { Anchor } from './files.ts';
import { type Block, chainEnd, type Signer } from './hash-chain.ts';
import type { BlockHead, Trail } from './trail.ts';

export interface SealParts {
  readonly trail: Trail;
  readonly signer: Signer;
  readonly clock: Clock;
  /** Who seals; absent where nobody else can. */
  readonly holder: string | undefined;
  /** The last block that is known here. */
  readonly anchor: Anchor | undefined;
}

/**
 * `isCut` where the block that is known here is not there any more: the new one comes behind it all the same. `isFull` where others may be left
 * that were there when it was made.
 */
export type Sealed =
  | { readonly kind: 'sealed'; readonly block: Block; readonly isCut: boolean; readonly isFull: boolean }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'lost' };

/** So many transactions are looked at for one block, and so many entries are in one, unless one transaction alone has more. */
const most = { rows: 1000, entries: 10_000 } as const;

/** Lost where another process has taken over. */
export async function sealNext({ trail, signer, clock, holder, anchor }: SealParts, tx: Writer): Promise<Sealed> {
  const state = await trail.lockState(tx);
  if (state === undefined || (holder !== undefined && state.holder !== holder)) return { kind: 'lost' };
  const found = await trail.unsealedAfter(tx, undefined, most.rows);
  const rows = upTo(most.entries, found);
  if (rows.length === 0) return { kind: 'nothing' };
  const last = await trail.lastBlock(tx);
  const lines = rows.flatMap((each) => each.lines);
  const part = {
    kind: 'block',
    // What was cut off leaves a gap, which is seen for good.
    number: Math.max(last?.number ?? 0, anchor?.block ?? 0) + 1,
    time: clock.now().getTime(),
    count: lines.length,
    entries: lines.join('\n'),
    previous: chainEnd(last),
  } as const;
  const block = { ...part, signature: signer.sign(part) };
  await trail.addBlock(tx, block);
  const gone = rows.map(({ id }) => id);
  if (holder === undefined) await trail.removeUnsealedUpTo(tx, gone.at(-1) ?? '');
  else await trail.removeUnsealed(tx, gone);
  if (holder !== undefined) await trail.setHolder(tx, holder, state.beat + 1);
  const isFull = found.length === most.rows || rows.length < found.length;
  return { kind: 'sealed', block, isCut: anchor !== undefined && !(await isHeld(anchor, last, trail, tx)), isFull };
}

/** Whether a block that was there is still there, or was pruned. */
export async function isHeld({ block, signature }: Anchor, last: BlockHead | undefined, trail: Trail, tx: Reader): Promise<boolean> {
  if (block === 0) return true;
  if (last === undefined || last.number < block) return false;
  const found = last.number === block ? last : await trail.blockAt(tx, block);
  if (found !== undefined) return chainEnd(found) === signature;
  const [oldest] = await trail.blocksAfter(tx, 0, 1);
  return oldest?.kind === 'pruned' && oldest.number > block;
}

function upTo<T extends { readonly lines: readonly string[] }>(limit: number, rows: readonly T[]): readonly T[] {
  let count = 0;
  const end = rows.findIndex(({ lines }, index) => {
    count += lines.length;
    return count > limit && index > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
