// Removes the oldest blocks when their time is over, with their entries, and leaves one signed row for all of them.

import type { Writer } from '../store/store.ts';
import { partsOfLine } from './entry.ts';
import { type Block, chainEnd, type Signer } from './hash-chain.ts';
import type { SealParts } from './seal-block.ts';
import { linesOf } from './trail.ts';

/** How many blocks are removed in one transaction. */
const atOnce = 10;

/** Broken where the oldest blocks are not as they were signed: what is signed for them must not hide that. */
export type Pruned = { readonly kind: 'pruned'; readonly blocks: number } | { readonly kind: 'broken'; readonly block: number };

/** Those that were sealed before a time. */
export async function pruneNext({ trail, signer, holder }: SealParts, before: number, tx: Writer): Promise<Pruned> {
  const state = await trail.lockState(tx);
  if (state === undefined || (holder !== undefined && state.holder !== holder)) return { kind: 'pruned', blocks: 0 };
  const [first, ...others] = await trail.blocksAfter(tx, 0, atOnce + 1);
  const stub = first?.kind === 'pruned' ? first : undefined;
  const oldest = stub === undefined && first !== undefined ? [first, ...others] : others;
  const newer = oldest.findIndex(({ time }) => time >= before);
  const gone = newer === -1 ? oldest : oldest.slice(0, newer);
  const last = gone.at(-1);
  if (last === undefined) return { kind: 'pruned', blocks: 0 };
  const broken = firstBroken(stub, gone, signer);
  if (broken !== undefined) return { kind: 'broken', block: broken };
  for (const { entries } of gone) {
    const ids = linesOf(entries).map((line) => partsOfLine(line).id);
    await trail.removeEntries(tx, ids);
  }
  await trail.removeBlocksUpTo(tx, last.number);
  const count = gone.reduce((sum, each) => sum + each.count, stub?.count ?? 0);
  const part = { kind: 'pruned', number: last.number, time: last.time, count, entries: '', previous: last.signature } as const;
  await trail.addBlock(tx, { ...part, signature: signer.sign(part) });
  return { kind: 'pruned', blocks: gone.length };
}

/** The number of the first that was altered, or does not follow the one before it. */
function firstBroken(stub: Block | undefined, blocks: readonly Block[], signer: Signer): number | undefined {
  if (stub !== undefined && signer.keyOf(stub) === undefined) return stub.number;
  let before: Block | undefined = stub;
  for (const block of blocks) {
    const follows = block.number === (before?.number ?? 0) + 1 && block.previous === chainEnd(before);
    if (!follows || signer.keyOf(block) === undefined) return block.number;
    before = block;
  }
  return undefined;
}
