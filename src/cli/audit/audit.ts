// `platform audit`: verify tells what is not as it was written, show prints entries with what changed in each, rotate makes a new key.

import { entriesIn, type InspectParts, rotateStored, verifyStored } from '../../audit/inspect.ts';
import { type Finding, findingText } from '../../audit/verify.ts';
import { systemClock } from '../../clock.ts';
import { compile } from '../../plan/compile.ts';
import { StartRefused } from '../../store/store.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { load } from '../load.ts';
import { counted, printable, report } from '../report.ts';
import type { Colours, Terminal } from '../terminal.ts';

interface OfProject {
  readonly config?: string;
  readonly json?: boolean;
}

/** So many findings are printed one by one. */
const mostPrinted = 1000;

export async function verify(path: string, options: OfProject, terminal: Terminal): Promise<number> {
  const parts = await read(path, options, terminal);
  if (parts === undefined) return 1;
  const findings: Finding[] = [];
  const result = await verifyStored(parts, (finding) => {
    if (findings.length < mostPrinted) findings.push(finding);
  });
  const { blocks, sealed, unsealed, pruned, findings: count } = result;
  if (options.json === true) {
    terminal.out(
      JSON.stringify({ ...result, findings: findings.map((each) => ({ ...each, message: printable(findingText(each)) })), found: count }),
    );
    return count === 0 ? 0 : 1;
  }
  for (const each of findings) terminal.out(`${terminal.colours.red('✗')} ${printable(findingText(each))}`);
  if (count > findings.length) terminal.out(`${counted(count - findings.length, 'finding')} more`);
  const extent = `${counted(sealed, 'entry', 'entries')} in ${counted(blocks, 'block')}`;
  if (pruned > 0) terminal.out(`${counted(pruned, 'entry', 'entries')} before them removed when their time was over`);
  if (count > 0) terminal.err(`platform: the audit trail is not as it was written: ${counted(count, 'finding')}, ${extent}`);
  else terminal.out(`${extent}: all as written, none missing`);
  terminal.out(unsealed === 1 ? '1 entry is not sealed yet' : `${unsealed} entries are not sealed yet`);
  return count === 0 ? 0 : 1;
}

export async function rotate(path: string, options: OfProject, terminal: Terminal): Promise<number> {
  const parts = await read(path, options, terminal);
  if (parts === undefined) return 1;
  const keys = await rotateStored(parts, parts.version);
  terminal.out(`a new key signs from the next start on; ${parts.audit.key} holds ${counted(keys, 'key')}, of which the first is in use`);
  return 0;
}

export interface ShowOptions extends OfProject {
  readonly type?: string;
  readonly instance?: string;
  readonly user?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

export async function show(path: string, options: ShowOptions, terminal: Terminal): Promise<number> {
  const parts = await read(path, options, terminal);
  if (parts === undefined) return 1;
  const entries = await entriesIn(parts, options);
  if (options.json === true) terminal.out(`[${entries.map(writeJson).join(',\n')}]`);
  else {
    for (const each of entries) terminal.out(linesOf(each, terminal.colours).join('\n'));
    terminal.err(counted(entries.length, 'entry', 'entries'));
  }
  return 0;
}

function linesOf(entry: Values, colours: Colours): readonly string[] {
  const text = (name: string): string => (typeof entry[name] === 'string' ? printable(entry[name]) : '');
  const denied = text('outcome') === 'denied' ? colours.yellow(' (denied)') : '';
  const who = text('user') === '' ? '' : ` by ${text('user')}`;
  const request = text('requestId') === '' ? '' : colours.dim(` (request ${text('requestId')})`);
  const what = `${colours.bold(text('operation'))} ${text('type')} ${text('instance')}`.trimEnd();
  return [`${text('time')} ${what}${who}${denied}${request}`, ...differences(entry['before'] ?? null, entry['after'] ?? null, colours)];
}

/** Attribute by attribute, those that are not what they were. */
function differences(before: Value, after: Value, colours: Colours): readonly string[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
  return names.flatMap((name) => [
    ...(was.has(name) ? [colours.red(`  - ${name}: ${was.get(name)}`)] : []),
    ...(is.has(name) ? [colours.green(`  + ${name}: ${is.get(name)}`)] : []),
  ]);
}

function membersOf(value: Value): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(Object.entries(value).map(([name, each]) => [printable(name), printable(writeJson(each))]));
}

interface ProjectParts extends InspectParts {
  readonly version: string;
}

async function read(path: string, { config }: OfProject, terminal: Terminal): Promise<ProjectParts | undefined> {
  const { project, model, settings, diagnostics, sources } = await load({ path, config, keepsStoreId: false }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return undefined;
  const { audit, store } = settings;
  if (audit === undefined) throw new StartRefused('The audit trail is off in this project. Set auditTrail.enabled.');
  return { plan: compile(model), store, audit, clock: systemClock(), version: project.version };
}
