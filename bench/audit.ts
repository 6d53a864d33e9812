// `npm run bench:audit`: what the proof of an audit trail takes, in CPU time and memory, of a hundred thousand entries and of a million.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signEntries } from '../src/audit/entry.ts';
import { type Anchor, makeKeys, writeAnchor } from '../src/audit/files.ts';
import { signerWith } from '../src/audit/hash-chain.ts';
import { sealNext } from '../src/audit/seal-block.ts';
import { trailOf } from '../src/audit/trail.ts';
import { systemClock } from '../src/clock.ts';
import { anonymous } from '../src/engine/caller.ts';
import { currentFrontEnd } from '../src/language/current/current.ts';
import { link } from '../src/model/link/link.ts';
import { compile } from '../src/plan/compile.ts';
import { openStore } from '../src/store/open.ts';
import { root } from './servers.ts';

const source = `module shop
entity Item { id Int @id, name String, price Decimal, @meta {"audit": true} }
`;
const perTransaction = 10;
const perBlock = 1000;
const sizes = process.argv.slice(2).map(Number);

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
try {
  print('| entries | in a second of a processor | memory, MiB |\n| --: | --: | --: |');
  for (const size of sizes.length > 0 ? sizes : [100_000, 1_000_000]) {
    const project = join(folder, String(size));
    await fill(project, size);
    print(measured(project, size));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Entries as the service writes them, without the service. */
async function fill(project: string, size: number): Promise<void> {
  mkdirSync(join(project, 'src'), { recursive: true });
  const file = join(project, 'shop.db');
  writeFileSync(join(project, 'src', 'shop.al'), source);
  writeFileSync(join(project, 'package.json'), '{"name": "shop", "version": "1.0.0"}');
  writeFileSync(join(project, 'config.al'), JSON.stringify({ auditTrail: { enabled: true }, store: { type: 'sqlite', dbname: file } }));
  const clock = systemClock();
  const { model } = link([currentFrontEnd.read({ file: 'shop.al', text: source }).unit], ['audit']);
  if (model === undefined) throw new Error('the model has faults');
  const plan = compile(model);
  const [trail, signer] = [trailOf(plan), signerWith(makeKeys(`${file}.audit-key`))];
  const store = openStore({ type: 'sqlite', file }, clock);
  await store.migrate(plan.tables);
  await store.write((tx) => trail.addState(tx, signer.keyNames[0] ?? ''));
  let anchor: Anchor | undefined;
  for (let at = 0; at < size; at += perBlock) {
    anchor = await store.write(async (tx) => {
      for (let from = at; from < at + perBlock; from += perTransaction) {
        const actions = Array.from({ length: perTransaction }, (_, each) => {
          const after = JSON.stringify({ id: from + each, name: `The item with the number ${from + each}`, price: '49.00' });
          return { operation: 'create', type: 'shop/Item', instance: String(from + each), before: null, after } as const;
        });
        const entries = signEntries(actions, 'done', { caller: anonymous, request: { id: clock.uuid(), remote: '' }, clock }, signer);
        await trail.addEntries(tx, entries);
        await trail.addUnsealed(tx, entries);
      }
      const sealed = await sealNext({ trail, signer, clock, holder: undefined, anchor }, tx);
      if (sealed.kind !== 'sealed') throw new Error('nothing was sealed');
      return { block: sealed.block.number, signature: sealed.block.signature };
    });
  }
  if (anchor !== undefined) await writeAnchor(`${file}.audit-anchor`, anchor);
  await store.close();
}

/** Of the command as it is run, with its start. */
function measured(project: string, size: number): string {
  const usage = `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write(JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, maxRSS / 1024])); });`;
  const hook = ['--import', `data:text/javascript,${encodeURIComponent(usage)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...hook, join(root, 'bin', 'platform.js'), 'audit', 'verify', project], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  const [seconds = 0, memory = 0]: readonly number[] = JSON.parse(stderr);
  return `| ${size} | ${Math.round(size / seconds)} | ${memory.toFixed(0)} |`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
