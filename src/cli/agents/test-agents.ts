// `platform test-agents`: every scenario of every agent as a test, each on a store of its own that goes with it.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Rehearsed } from '../../agents/agents.ts';
import { createApp } from '../../app.ts';
import type { Log } from '../../http/server/log.ts';
import type { Agent } from '../../model/model.ts';
import { StartRefused } from '../../store/store.ts';
import { load, type Ready } from '../load.ts';
import { counted, printable, report } from '../report.ts';
import type { Colours, Terminal } from '../terminal.ts';
import { junitOf } from './junit.ts';

export interface TestOptions {
  readonly config?: string;
  readonly agent?: string;
  readonly json?: boolean;
  readonly junit?: string;
}

export async function testAgents(path: string, options: TestOptions, terminal: Terminal): Promise<number> {
  const loaded = await load({ path, config: options.config, keepsStoreId: false, asksServers: true }, terminal);
  const { model, diagnostics, sources } = loaded;
  const { folder, colours } = terminal;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder, colours }));
  if (model === undefined) return 1;
  const agents = chosen([...model.agents.values()], options.agent);
  const results: Rehearsed[] = [];
  for (const { name, scenarios } of agents)
    for (const scenario of scenarios.keys()) {
      const result = await rehearsed(name, scenario, { ...loaded, model }, terminal);
      results.push(result);
      if (options.json !== true) terminal.out(lineOf(result, agents, colours));
    }
  if (options.json === true) terminal.out(JSON.stringify(results.map(asJson), undefined, 2));
  if (options.junit !== undefined) writeFileSync(resolve(folder, options.junit), junitOf(results, loaded.project.name));
  const failed = results.filter((each) => !each.passed).length;
  const untried = agents.filter((each) => each.scenarios.length === 0).map((each) => each.name);
  if (untried.length > 0) terminal.err(`without scenarios: ${untried.join(', ')}`);
  terminal.err(`${counted(results.length, 'scenario')}, ${failed === 0 ? 'all passed' : `${failed} failed`}`);
  return failed === 0 ? 0 : 1;
}

function chosen(agents: readonly Agent[], name: string | undefined): readonly Agent[] {
  if (agents.length === 0) throw new StartRefused('There are no agents in this project.');
  const found = name === undefined ? agents : agents.filter((each) => each.name === name || each.local === name);
  if (found.length === 0) throw new StartRefused(`There is no agent ${printable(name ?? '')} in this project.`);
  return found;
}

/** In memory where the system has such a place. */
const memory = '/dev/shm';

async function rehearsed(agent: string, scenario: number, { model, settings, project }: Ready, terminal: Terminal): Promise<Rehearsed> {
  const place = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'platform-agents-'));
  try {
    const { name, version, folder } = project;
    const store = { type: 'sqlite', file: join(place, 'agents.db') } as const;
    // Nobody signs in here: what agents may do is tried by other tests.
    const own = { ...settings, store, auth: undefined, audit: undefined };
    const app = await createApp({ model, settings: own, name, version, folder, log: logTo(terminal) });
    try {
      return await app.rehearse(agent, scenario);
    } finally {
      await app.close();
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** What went wrong is said in the results; failures of the service itself besides. */
function logTo(terminal: Terminal): Log {
  const silent = (): void => {};
  return {
    debug: silent,
    info: silent,
    warn: silent,
    error: (_, message) => terminal.err(`platform: ${message}`),
    isLevelEnabled: () => false,
  };
}

function asJson({ agent, user, expected, actual, passed, method, path, error }: Rehearsed): object {
  return {
    ...{ agent, user, expected, actual: actual ?? null, passed, method },
    ...(path.length === 0 ? {} : { path }),
    ...(error === undefined ? {} : { error }),
  };
}

function lineOf(result: Rehearsed, agents: readonly Agent[], colours: Colours): string {
  const { agent, user, expected, actual, passed, method, path, error } = result;
  const width = Math.max(...agents.map((each) => each.name.length));
  const mark = passed ? colours.green('✓') : colours.red('✗');
  const cells = [mark, agent.padEnd(width), cell(user).padEnd(longest), cell(expected)];
  const outcome = passed
    ? ` (${method})`
    : colours.red(error === undefined ? ` but it was ${cell(actual ?? '')}` : ` but ${printable(error)}`);
  const way = path.map(
    ({ step, label, method: by }) =>
      `${printable(step)}${by === undefined ? '' : ` (${label === undefined ? '' : `${cell(label)}, `}${by})`}`,
  );
  const lines = [`${cells.join('  ')}${outcome}`, ...(way.length === 0 ? [] : [colours.dim(`   ${way.join(' → ')}`)])];
  return lines.join('\n');
}

const longest = 40;

function cell(text: string): string {
  const shown = printable(JSON.stringify(text));
  return shown.length <= longest ? shown : `${shown.slice(0, longest - 1)}…`;
}
