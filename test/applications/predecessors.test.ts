// Forms that applications of the predecessors use: each loads, with a small model of its own.

import { expect, onTestFinished, test } from 'vitest';
import { command, workspace } from '../cli/harness.ts';

interface Row {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  /** What is told; nothing where nothing is said. */
  readonly told?: RegExp;
  readonly code?: number;
}

const note = 'module m\nentity Note { id Int @id, text String @optional }\nevent go { text String @optional }\n';
const manifest = (more = '') => `{:name :M :version "0.0.1" :platform-version "current" :components [:M] ${more}}`;
const earlier = (text: string, more?: string) => ({ 'model.platform': manifest(more), 'm.platform': `(component :M)\n${text}` });

const rows: readonly Row[] = [
  {
    title: 'all settings stand under a key of the name of the service, and beside it instances by modules',
    files: { 'src/m.al': note, 'config.al': '{"platform": {"service": {"port": 8080}}, "m": [{"m/Note": {"id": 1, "text": "a"}}]}' },
  },
  {
    title: 'a variable that is not set leaves the attribute of a configured instance out, with a warning',
    files: { 'src/m.al': note, 'config.al': '{"m": {"m/Note": {"id": 1, "text": "#js process.env.NOT_SET"}}}' },
    told: /warning .*NOT_SET|warning .*text/,
  },
  {
    title: 'a workflow stops a timer by its name',
    files: {
      'src/m.al': `${note}workflow go { {platform/timer {name "t", duration 2, unit "second", trigger "m/go"}}; delete {platform/timer {name? "t"}} }`,
    },
  },
  {
    title: 'types of a resolver may be written as texts',
    files: {
      'src/m.al': `${note}import "r.js" @as r\nresolver R ["m/Note"] { query r.find }`,
      'src/r.js': 'export function find() { return []; }',
    },
  },
  {
    title: 'monitoring, integrations and httpFileHandling are keys that mean nothing',
    files: {
      'src/m.al': note,
      'config.al': '{"monitoring": {"enabled": true}, "integrations": {}, "service": {"httpFileHandling": true}}',
    },
    told: /3 warnings/,
  },
  {
    title: 'a role of an agent is its persona',
    files: { 'src/m.al': `${note}@public agent help { role "support_manager", instruction "Answer." }` },
  },
  {
    title: 'a module of a package that is not installed is told once',
    files: { 'src/m.al': `${note}workflow go { {jira/Issue {a 1}}; {jira/Issue {a 2}} }` },
    told: /package-missing[\s\S]*1 error/,
    code: 1,
  },
  {
    title: 'tools name records, events, workflows and modules',
    files: {
      'src/m.al': `${note}record Answer { text String }\nworkflow go { {Note? {}} }\n@public agent help { instruction "Answer.", tools [m/Answer, m/go, m] }`,
    },
  },
  {
    title: 'a model of the earlier surface may have no versions',
    files: { 'model.platform': '{:name :M :components [:M]}', 'm.platform': '(component :M)\n(entity :E {:Id :Identity})' },
    told: /2 warnings/,
  },
  {
    title: 'instances of config.edn take values of the environment',
    files: {
      ...earlier('(entity :Config {:Id {:type :Int :guid true} :ClientId {:type :String :optional true}})'),
      'config.edn': '{:M/Config {:Id 1 :ClientId #$ NOT_SET}}',
    },
    told: /warning/,
  },
  { title: 'an identifier may be of the type Any', files: earlier('(entity :E {:Id {:type :Any :guid true}})') },
  {
    title: 'embeddings and documents of agents in config.edn are told to mean nothing',
    files: { ...earlier('(entity :E {:Id :Identity})'), 'config.edn': '{:embeddings {:llm "x"} :agent-documents {:path "docs"}}' },
    told: /2 warnings/,
  },
];

test.each(rows)('$title', async ({ files, told, code = 0 }) => {
  const place = workspace(files);
  onTestFinished(() => place.remove());
  const checked = await command(place.folder, 'check');
  expect([checked.code, checked.out]).toEqual([
    code,
    told === undefined ? expect.not.stringMatching(/ {2}(?:error|warning) {2}/) : expect.stringMatching(told),
  ]);
});
