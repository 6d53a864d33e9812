// Proves that the trail is as it was written: every entry by its hash, every block by its signature and the one before it, the end by the anchor.

import { unreachable } from '../errors.ts';
import type { Reader } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { hashedText, partsOfLine } from './entry.ts';
import type { Anchor } from './files.ts';
import { type Block, chainEnd, type Signer } from './hash-chain.ts';
import { EntryScan, isAsWritten } from './scan.ts';
import { linesOf, type Trail } from './trail.ts';

export interface VerifyParts {
  readonly trail: Trail;
  readonly signer: Signer;
  readonly anchor: Anchor | undefined;
  /** Told of each finding as it is made. */
  found(finding: Finding): void;
  /** Waited for now and then, with what has been looked at so far. */
  progress?(checked: Pick<Verification, 'blocks' | 'sealed'>): Promise<void>;
}

export type Finding =
  /** Its content is not what was hashed. */
  | { readonly kind: 'entry-altered'; readonly entry: string; readonly block: number | undefined; readonly words: string }
  /** It is named, and not there. */
  | { readonly kind: 'entry-removed'; readonly entry: string; readonly block: number | undefined }
  /** It is named a second time. */
  | { readonly kind: 'entry-repeated'; readonly entry: string; readonly block: number | undefined }
  /** It is there, and nothing names it. */
  | { readonly kind: 'entry-inserted'; readonly entry: string }
  | { readonly kind: 'block-altered'; readonly block: number }
  | { readonly kind: 'blocks-removed'; readonly from: number; readonly to: number }
  /** It is signed, and does not follow the one before it. */
  | { readonly kind: 'block-misplaced'; readonly block: number }
  | { readonly kind: 'end-removed'; readonly block: number; readonly last: number }
  | { readonly kind: 'end-replaced'; readonly block: number }
  | { readonly kind: 'anchor-missing' }
  | { readonly kind: 'key-other' };

export interface Verification {
  readonly blocks: number;
  /** Entries in them. */
  readonly sealed: number;
  readonly unsealed: number;
  /** Entries that were removed when their time was over. */
  readonly pruned: number;
  readonly findings: number;
}

/** So many blocks are in memory at once. */
const blocksAtOnce = 4;
const rowsAtOnce = 200;

export async function verifyTrail({ trail, signer, anchor, found, progress }: VerifyParts, reader: Reader): Promise<Verification> {
  const run = new Run(trail, signer, found, reader);
  const state = await trail.state(reader);
  if (state !== undefined && !signer.keyNames.includes(state.key)) run.find({ kind: 'key-other' });
  const last = await checkBlocks(run, anchor, progress);
  await checkUnsealed(run);
  checkEnd(run, anchor, last);
  await run.findInserted();
  const { blocks, sealed, unsealed, pruned, findings } = run;
  return { blocks, sealed, unsealed, pruned, findings };
}

class Run {
  blocks = 0;
  sealed = 0;
  unsealed = 0;
  pruned = 0;
  findings = 0;
  readonly trail: Trail;
  readonly signer: Signer;
  readonly reader: Reader;
  /** The place of the key of the last block: of the first one, the oldest. */
  key: number;
  /** Whether the block of the anchor is as the anchor knows it; unknown until it was seen. */
  isAnchored: boolean | undefined;
  readonly #scan: EntryScan;
  readonly #found: VerifyParts['found'];

  constructor(trail: Trail, signer: Signer, found: VerifyParts['found'], reader: Reader) {
    this.trail = trail;
    this.signer = signer;
    this.key = signer.keyNames.length - 1;
    this.reader = reader;
    this.#scan = new EntryScan(trail, signer, reader);
    this.#found = found;
  }

  find(finding: Finding): void {
    this.findings += 1;
    this.#found(finding);
  }

  /** All entries that these lines name; the key at this place has signed them. */
  async checkLines(lines: readonly string[], block: number | undefined, key: number): Promise<void> {
    const last = lastNamed(lines);
    if (last !== '') await this.#scan.readTo(last, key);
    for (const line of lines) {
      const { id, hash } = partsOfLine(line);
      if (this.#scan.isNext(id, hash)) continue;
      const entry = this.#scan.take(id);
      if (entry?.hash === hash) continue;
      const [columns] = isId(id) ? await this.trail.entriesWith(this.reader, [id]) : [];
      if (entry !== undefined && columns !== undefined && this.#isHashOf(hash, columns, key)) continue;
      if (entry !== undefined) this.find({ kind: 'entry-altered', entry: id, block, words: wordsOf(columns ?? []) });
      else this.find({ kind: columns === undefined ? 'entry-removed' : 'entry-repeated', entry: id, block });
    }
  }

  /** Entries are read ahead, and hashed with the key of the block before theirs. */
  #isHashOf(hash: string, columns: readonly Value[], key: number): boolean {
    return isAsWritten(columns) && this.signer.hash(hashedText(columns), key) === hash;
  }

  async findInserted(): Promise<void> {
    await this.#scan.readTo(undefined, 0);
    for (const entry of this.#scan.left()) this.find({ kind: 'entry-inserted', entry });
  }
}

/** The last of the identifiers; they ascend, so that it is found at the end. */
function lastNamed(lines: readonly string[]): string {
  let last = '';
  for (const line of lines.toReversed()) {
    const { id } = partsOfLine(line);
    if (id > last && isId(id)) last = id;
  }
  return last;
}

/** Whatever else stands in a block that was altered is no identifier. */
function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** What a person knows an entry by. */
function wordsOf(columns: readonly Value[]): string {
  const [, time, , operation, type, instance] = columns.map((each) => String(each ?? ''));
  return `${operation} ${type} ${instance}, ${time}`;
}

/** The last block that there is. */
async function checkBlocks(run: Run, anchor: Anchor | undefined, progress: VerifyParts['progress']): Promise<Block | undefined> {
  let before: Block | undefined;
  for (;;) {
    const blocks = await run.trail.blocksAfter(run.reader, before?.number ?? Number.MIN_SAFE_INTEGER, blocksAtOnce);
    for (const block of blocks) {
      checkBlock(block, before, run);
      if (anchor !== undefined && anchor.block <= block.number && run.isAnchored === undefined)
        run.isAnchored = block.number === anchor.block ? chainEnd(block) === anchor.signature : block.kind === 'pruned';
      const lines = linesOf(block.entries);
      if (block.kind !== 'pruned') await run.checkLines(lines, block.number, run.key);
      before = block;
      await progress?.(run);
    }
    if (blocks.length < blocksAtOnce) return before;
  }
}

function checkBlock(block: Block, before: Block | undefined, run: Run): void {
  const { kind, number, count } = block;
  const key = run.signer.keyOf(block);
  // A key that was replaced signs nothing any more: somebody else may have it.
  const isSigned = key !== undefined && (kind === 'pruned' || key <= run.key);
  if (isSigned && kind !== 'pruned') run.key = key;
  if (!isSigned) run.find({ kind: 'block-altered', block: number });
  if (kind === 'pruned') run.pruned += count;
  else {
    run.blocks += 1;
    run.sealed += count;
  }
  const next = (before?.number ?? 0) + 1;
  if (kind === 'pruned' ? before !== undefined : number < next) run.find({ kind: 'block-misplaced', block: number });
  else if (kind !== 'pruned' && number > next) run.find({ kind: 'blocks-removed', from: next, to: number - 1 });
  else if (kind !== 'pruned' && isSigned && block.previous !== chainEnd(before)) run.find({ kind: 'block-misplaced', block: number });
}

async function checkUnsealed(run: Run): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const rows = await run.trail.unsealedAfter(run.reader, after, rowsAtOnce);
    const lines = rows.flatMap((each) => each.lines);
    for (const { id, lines: own } of rows) {
      const first = partsOfLine(own[0] ?? '').id;
      if (first !== id) run.find({ kind: 'entry-altered', entry: first, block: undefined, words: `not sealed yet, and listed as ${id}` });
    }
    run.unsealed += lines.length;
    await run.checkLines(lines, undefined, 0);
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1)?.id ?? after;
  }
}

function checkEnd(run: Run, anchor: Anchor | undefined, last: Block | undefined): void {
  if (anchor === undefined) {
    if (last !== undefined) run.find({ kind: 'anchor-missing' });
  } else if (anchor.block === 0) return;
  else if (anchor.block > (last?.number ?? 0)) run.find({ kind: 'end-removed', block: anchor.block, last: last?.number ?? 0 });
  else if (run.isAnchored !== true) run.find({ kind: 'end-replaced', block: anchor.block });
}

/** In words, for people; identifiers in it stand as they were found. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'entry-altered':
      return `entry ${finding.entry} ${placeOf(finding.block)} was altered (${finding.words})`;
    case 'entry-removed':
      return `entry ${finding.entry} ${placeOf(finding.block)} was removed`;
    case 'entry-repeated':
      return `entry ${finding.entry} ${placeOf(finding.block)} is named a second time`;
    case 'entry-inserted':
      return `entry ${finding.entry} was inserted: it is in no block`;
    case 'block-altered':
      return `block ${finding.block} was altered: its signature does not fit`;
    case 'blocks-removed':
      return finding.from === finding.to ? `block ${finding.from} was removed` : `blocks ${finding.from} to ${finding.to} were removed`;
    case 'block-misplaced':
      return `block ${finding.block} does not follow the one before it: blocks were reordered or replaced`;
    case 'end-removed':
      return `the end was cut off: the anchor knows block ${finding.block}, and the last one is ${finding.last}`;
    case 'end-replaced':
      return `block ${finding.block} is not the one that the anchor knows: the end was cut off, and written anew`;
    case 'anchor-missing':
      return 'there is no anchor: whether the end was cut off cannot be told';
    case 'key-other':
      return 'the store says that the trail was begun with another key';
    default:
      return unreachable(finding);
  }
}

function placeOf(block: number | undefined): string {
  return block === undefined ? '(not sealed yet)' : `in block ${block}`;
}
