// The official conformance suite of the protocol, its scenarios for servers, against a service whose model has the tools that they call.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';

/** The names of the tools are those that the suite asks for: `<module>_<event>`. */
const project = {
  'test.al': `module test
entity Note { id Int @id, text String }
event simple_text {}
workflow simple_text { {Note {id? 1}} }
event error_handling { id Int }
workflow error_handling { {Note {id error_handling.id, text "x"}} }
agent helper { instruction "Say that it is done." }
event tool_with_progress {}
workflow tool_with_progress { {helper {message "Work."}} }
`,
  'json.al': `module json
record address { street String, city String }
event schema_2020_12_tool { name String @optional, address address @optional }
workflow schema_2020_12_tool { schema_2020_12_tool.name }
`,
};

const applicable: readonly string[] = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'resources-list',
  'dns-rebinding-protection',
];

/** Why the others say nothing about this server. */
const reasons = {
  logging: 'the capability is not offered: what the service logs is for its operator',
  completion: 'the capability is not offered: what a tool takes is in its schema',
  media: 'tools give instances and results, as JSON',
  sessions: 'the transport is stateless: there are no sessions to resume or to share',
  asking: 'the service asks neither the assistant nor its user anything',
  addresses: 'the suite reads test://, resources here are platform://',
  subscription: 'the capability is not offered: changes are told by REST',
  prompts: 'the capability is not offered',
} as const;

const others: Readonly<Record<string, keyof typeof reasons>> = {
  'logging-set-level': 'logging',
  'tools-call-with-logging': 'logging',
  'completion-complete': 'completion',
  'tools-call-image': 'media',
  'tools-call-audio': 'media',
  'tools-call-embedded-resource': 'media',
  'tools-call-mixed-content': 'media',
  'server-sse-polling': 'sessions',
  'server-sse-multiple-streams': 'sessions',
  'tools-call-sampling': 'asking',
  'tools-call-elicitation': 'asking',
  'elicitation-sep1034-defaults': 'asking',
  'elicitation-sep1330-enums': 'asking',
  'resources-read-text': 'addresses',
  'resources-read-binary': 'addresses',
  'resources-templates-read': 'addresses',
  'resources-subscribe': 'subscription',
  'resources-unsubscribe': 'subscription',
  'prompts-list': 'prompts',
  'prompts-get-simple': 'prompts',
  'prompts-get-with-args': 'prompts',
  'prompts-get-embedded-resource': 'prompts',
  'prompts-get-with-image': 'prompts',
};

test('every scenario of the conformance suite that applies passes, and it is known why the others do not apply', async () => {
  const model = await modelServer();
  model.says('It is done.');
  const served = await serve(project, { mcp: true, llm: model.settings });
  const [address = ''] = await served.app.listen();
  const ran = await scenarios(`${address}/mcp`);
  expect([...ran.keys()].sort()).toEqual([...applicable, ...Object.keys(others)].sort());
  const failed = applicable.filter((name) => ran.get(name)?.failed !== 0 || ran.get(name)?.passed === 0);
  expect(failed).toEqual([]);
  const checks = applicable.reduce((sum, name) => sum + (ran.get(name)?.passed ?? 0), 0);
  const why = Object.entries(reasons).map(([reason, text]) => {
    const count = Object.values(others).filter((each) => each === reason).length;
    return `  ${count} do not apply: ${text}\n`;
  });
  process.stdout.write(
    `conformance of the Model Context Protocol: ${applicable.length} of ${ran.size} scenarios, ${checks} checks\n${why.join('')}`,
  );
});

interface Ran {
  readonly passed: number;
  readonly failed: number;
}

async function scenarios(url: string): Promise<ReadonlyMap<string, Ran>> {
  const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const older = pathToFileURL(join(root, 'test/mcp/newer-node.mjs')).href;
  const words = ['--import', older, suite, 'server', '--url', url, '--suite', 'all'];
  // It fails where one scenario does, whether it applies or not: what counts is what it says.
  const { stdout } = await promisify(execFile)(process.execPath, words).catch((thrown: unknown) => {
    if (typeof thrown === 'object' && thrown !== null && 'stdout' in thrown) return { stdout: String(thrown.stdout) };
    throw thrown;
  });
  return new Map(
    [...stdout.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm)].map(([, name = '', passed, failed]) => [
      name,
      { passed: Number(passed), failed: Number(failed) },
    ]),
  );
}
