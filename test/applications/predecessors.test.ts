// Forms that applications of the predecessors use: each loads, with a small model of its own.

import { expect, onTestFinished, test } from 'vitest';
import { command, workspace } from '../cli/harness.ts';
import { serveProject } from '../support/project.ts';

interface Row {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  /** What is told; nothing where nothing is said. */
  readonly told?: RegExp;
  readonly code?: number;
}

const note = 'module m\nentity Note { id Int @id, text String @optional, hits Int @default(0) }\nevent go { text String @optional }\n';
const manifest = (more = '') => `{:name :M :version "0.0.1" :platform-version "current" :components [:M] ${more}}`;
const earlier = (text: string, more?: string) => ({ 'model.platform': manifest(more), 'm.platform': `(component :M)\n${text}` });

const withMissingLibrary = `(require '[clj-http.client :as http])
(entity :E {:Id {:type :Int :guid true}})
(defn add-it [inst] (http/post "http://example.com" {:body inst}))
(defn find-it [q] (slurp "http://example.com"))
(resolver :Resolver {:with-methods {:create add-it :query find-it} :paths [:M/E]})`;

const rows: readonly Row[] = [
  {
    title: 'all settings stand under a key of the name of the service, and beside it instances by modules',
    files: { 'src/m.al': note, 'config.al': '{"platform": {"service": {"port": 8080}}, "m": [{"m/Note": {"id": 1, "text": "a"}}]}' },
  },
  {
    title: 'instances of a module with several parts in its name stand under the first of them',
    files: {
      'src/core.al': 'module crm.core\nentity Config { id Int @id, host String }',
      'config.al': '{"platform": {"service": {"port": 8080}}, "crm": {"crm.core/Config": {"id": 1, "host": "a"}}}',
    },
  },
  {
    title: 'a variable that is not set leaves the attribute of a configured instance out, with a warning',
    files: { 'src/m.al': note, 'config.al': '{"m": {"m/Note": {"id": 1, "text": "#js process.env.NOT_SET"}}}' },
    told: /warning .*NOT_SET|warning .*text/,
  },
  {
    title: 'a configured instance that lacks what it must have is left out, with a warning',
    files: {
      'src/m.al': 'module m\nentity Key { id Int @id, secret String }',
      'config.al': '{"m": {"m/Key": {"id": 1, "secret": "#js process.env.NOT_SET"}}}',
    },
    told: /warning .*m\/Key: secret is absent[\s\S]*1 warning/,
  },
  {
    title: 'a retry of the configuration is the declared retry of that name, for agents of every module',
    files: {
      'src/m.al': `${note}@public agent help { instruction "Answer.", retry twice }`,
      'src/other.al': 'module other\n@public agent help { instruction "Answer.", retry twice }',
      'config.al':
        '{"platform": {"service": {"port": 8080}, "retry": [{"name": "twice", "attempts": 2, "backoff": {"strategy": "linear", "delay": 2, "magnitude": "seconds", "factor": 2}}]}, "m": {"m/Note": {"id": 1}}}',
    },
  },
  {
    title: 'a retry of the configuration is checked as a declared one',
    files: {
      'src/m.al': `${note}@public agent help { instruction "Answer.", retry twice }`,
      'config.al': '{"retry": [{"name": "twice", "attempts": 0, "backof": {}}]}',
    },
    told: /config\.al:1:42 .*agent-field-type[\s\S]*did you mean `backoff`\?[\s\S]*2 errors/,
    code: 1,
  },
  {
    title: 'a retry that neither the model nor the configuration declares is told',
    files: { 'src/m.al': `${note}@public agent help { instruction "Answer.", retry twice }` },
    told: /name-unknown {2}there is no retry `twice`[\s\S]*1 error/,
    code: 1,
  },
  {
    title: 'a value of what is done at start may be a variable, which leaves it out with a warning where it is not set',
    files: { 'src/m.al': `${note}{Note {id 1, text process.env.NOT_SET}}\n{"key": process.env.NOT_SET} @as settings` },
    told: /warning .*NOT_SET[\s\S]*2 warnings/,
  },
  {
    title: 'a map that describes an MCP server is a tool of agents',
    files: {
      'src/m.al': `${note}{"type": "mcp", "server_label": "helper", "server_url": "http://127.0.0.1:2/mcp"} @as helper\n@public agent help { instruction "Answer.", tools [helper] }`,
    },
  },
  {
    title: 'the tools of an MCP server that is named at start are events',
    files: {
      'src/m.al': `${note}{platform.mcp/createClient {name "helper", serverUrl "http://127.0.0.1:2/mcp"}}\nworkflow go { {helper.mcp/echo {text go.text}} }`,
    },
  },
  {
    title: 'operations of an OpenAPI document are events',
    files: {
      'src/m.al': `${note}workflow go { {pets/addPet {name go.text}} }`,
      'config.al': '{"openapi": [{"name": "pets", "specUrl": "pets.json", "baseUrl": "http://127.0.0.1:2"}]}',
      'pets.json': JSON.stringify({
        openapi: '3.0.0',
        paths: {
          '/pets': {
            post: {
              operationId: 'addPet',
              requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } } },
            },
          },
        },
      }),
    },
  },
  {
    title: 'an OpenAPI document that cannot be read is refused with one line',
    files: { 'src/m.al': note, 'config.al': '{"openapi": [{"name": "pets", "specUrl": "none.json"}]}' },
    told: /openapi: none\.json cannot be read[\s\S]*1 error/,
    code: 1,
  },
  {
    title: 'a colon may stand behind the name of an attribute in a pattern',
    files: { 'src/m.al': `${note}workflow go { {Note {id: 1, text: go.text}} }` },
  },
  {
    title: 'a qualified name of a type with an attribute is the last instance found or made',
    files: { 'src/m.al': `${note}workflow go { {m/Note? {id? 1}}; {Note {id 2, text m/Note.text}} }` },
  },
  {
    title: 'instances are found by their words, and changed by what was found',
    files: { 'src/m.al': `${note}workflow go { {Note? go.text} @as [x]; {Note {__path__? x.id, text "y"}} }` },
  },
  {
    title: 'a workflow of a trigger knows the instance as this, and writes into the log',
    files: { 'src/m.al': `${note}workflow @after create:Note { console.log(this.text) }` },
  },
  {
    title: 'the bare name of an attribute on the right of an update is the stored value',
    files: { 'src/m.al': `${note}workflow go { {Note {id? 1, hits hits + 1}} }` },
  },
  {
    title: '@id on an attribute of an event has no effect',
    files: { 'src/m.al': `${note}event second { id Int @id }\nworkflow second { {Note? {}} }` },
    told: /warning .*`@id`[\s\S]*1 warning/,
  },
  {
    title: 'requests and results of a validation are built in',
    files: {
      'src/m.al': `${note}event X extends platform/ValidationRequest {}\nworkflow X { {platform/ValidationResult {status "error", reason "no"}} }`,
    },
  },
  { title: 'Integer is Int', files: { 'src/m.al': `${note}entity Other { id Integer @id }` } },
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
    title: 'language models and documents stand in statements at start, and in the configuration under their module',
    files: {
      'src/m.al': `${note}{platform.ai/LLM {name "a", service "openai", config {"model": "gpt-4o"}}, @upsert}
{platform.ai/doc {title "one", url "docs/one.md"}}
@public agent help { llm "a", instruction "Answer.", documents ["one", "two"] }
@public agent other { llm "b", instruction "Answer." }`,
      'docs/one.md': 'One.',
      'docs/two.txt': 'Two.',
      'config.al':
        '{"platform": {"service": {"port": 8080}}, "platform.ai": [{"platform.ai/LLM": {"name": "b", "service": "anthropic"}}, {"platform.ai/doc": {"title": "two", "url": "./docs/two.txt"}}]}',
    },
  },
  {
    title: 'a document that is not there is told, and the model loads',
    files: {
      'src/m.al': `${note}{platform.ai/doc {title "one", url "docs/none.md"}}\n@public agent help { instruction "Answer.", documents ["one"] }`,
    },
    told: /warning {2}document-unreadable {2}the document "one" cannot be read: there is no such file[\s\S]*1 warning/,
  },
  {
    title: 'a variable of the environment that is not set leaves a value of a start-up map out',
    files: {
      'src/m.al': `${note}{platform.ai/LLM {name "a", service "openai", config {"model": "gpt-4o", "apiKey": process.env.NOT_SET}}}\n{Note {id 1, text process.env.NOT_SET}, @upsert}`,
    },
    told: /config-unset[\s\S]*config-unset[\s\S]*2 warnings/,
  },
  {
    title: 'an instruction is a constant of an imported module',
    files: {
      'src/m.al': `${note}import "ins.mjs" @as ins\n@public agent help { instruction ins.TEXT, role ins.ROLE }`,
      'src/ins.mjs': 'export const TEXT = "Be kind."; export const ROLE = "A clerk.";',
    },
  },
  {
    title: 'an instruction that is no text of the imported module is told',
    files: {
      'src/m.al': `${note}import "ins.mjs" @as ins\n@public agent help { instruction ins.TEXT }`,
      'src/ins.mjs': 'export const TEXT = 7;',
    },
    told: /agent-field-type[\s\S]*1 error/,
    code: 1,
  },
  {
    title: 'a colon stands behind the name of an attribute, and validateModule is told to have no effect',
    files: {
      'src/m.al': `${note}agent help { instruction "Answer.", validate platform/validateModule }\nworkflow go { {help {message: go.text}} }`,
    },
    told: /form-ignored[\s\S]*1 warning, 1 note/,
  },
  {
    title: 'an agent and a workflow have one name: requests run the workflow, which asks the agent',
    files: { 'src/m.al': `module m\n@public agent go { instruction "Answer." }\nworkflow go { {go {message go.text}} }` },
    told: /agent-beside-workflow[\s\S]*1 warning, 1 note/,
  },
  {
    title: 'directives, scenarios and glossary entries stand apart, and a flow has an agent with a role and a goal alone',
    files: {
      'src/m.al': `${note}agent help { role "Clerk.", goal "Help.", instruction "See {{Note.text}}." }
directive help.d1 { if ("angry") { "be calm" } }
scenario help.s1 { if ("make") { {Note {id 1}} } }
glossaryEntry help.g1 { name "SLA", meaning "promise", synonyms "terms" }
@public agent all { role "Chief.", goal "All is done." }
flow all { help --> go }
workflow go { {Note? {}} }`,
    },
  },
  {
    title: 'agents, language models, inferences, delegates and documents of the earlier surface',
    files: {
      ...earlier(`{:Platform.Core/LLM {:Type "openai" :Name "llm01" :Config {:MaxTokens 8192 :ApiKey (u/getenv "NOT_SET")}}}
{:Platform.Core/Agent {:Name :a :Type :planner :LLM "llm01" :UserInstruction (str "a" "b") :Documents [{:Title "t" :Uri "file://docs/t.md"}]}}
(event :Go {:meta {:inherits :Platform.Core/Inference}})
{:Platform.Core/Agent {:Name :b :Input :Go :Delegates {:To :a} :Chat {:Messages [{:role :system :content "c"}]}}}
(inference :I {:agent "b"})`),
      'docs/t.md': 'Text.',
    },
    told: /config-unset[\s\S]*form-ignored|form-ignored[\s\S]*config-unset/,
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
    title: 'a model of the earlier surface has a name',
    files: { 'model.platform': '{:components [:M]}', 'm.platform': '(component :M)\n(entity :E {:Id :Identity})' },
    told: /error {2}project-key-missing {2}model\.platform has no :name[\s\S]*1 error, 2 warnings/,
    code: 1,
  },
  {
    title: 'a model of the earlier surface has components',
    files: { 'model.platform': '{:name :M}', 'm.platform': '(component :M)\n(entity :E {:Id :Identity})' },
    told: /error {2}project-key-missing {2}model\.platform has no :components[\s\S]*1 error, 2 warnings/,
    code: 1,
  },
  {
    title: 'models that another depends on are found in folders beside it',
    files: {
      ...earlier('(entity :E {:Id :Identity})\n(dataflow :Go {:T/E? {}})', `:dependencies '[[ticket "0.0.1"]]`),
      'ticket/model.platform': '{:name :ticket :version "0.0.1" :platform-version "current" :components [:T]}',
      'ticket/t.platform': '(component :T)\n(entity :E {:Id :Identity})',
    },
  },
  {
    title: 'a model that another depends on and that is not there is one diagnostic',
    files: earlier('(entity :E {:Id :Identity})', `:dependencies '[[slack "0.0.1"]]`),
    told: /project-dependency[\s\S]*1 error/,
    code: 1,
  },
  {
    title: 'instances of config.edn take values of the environment',
    files: {
      ...earlier('(entity :Config {:Id {:type :Int :guid true} :ClientId {:type :String :optional true}})'),
      'config.edn': '{:M/Config {:Id 1 :ClientId #$ NOT_SET}}',
    },
    told: /warning/,
  },
  {
    title: 'instances of config.edn are of components with several parts in their names',
    files: {
      'model.platform': '{:name :Camel :version "0.0.1" :platform-version "current" :components [:Camel.X]}',
      'camel/x.platform': '(component :Camel.X)\n(entity :Config {:ClientId {:type :String :optional true} :Host :String})',
      'config.edn': '{:Camel.X/Config {:ClientId #$ NOT_SET :Host "a"}}',
    },
    told: /warning {2}config-unset {2}:Camel\.X\/Config :ClientId is absent[\s\S]*1 warning/,
  },
  {
    title: 'a declared name may be qualified with another component, which is made for it',
    files: earlier(
      '(entity :Salesforce/Account {:Id {:type :Int :guid true}})\n(defn find-it [q] [])\n(resolver :Salesforce/Resolver {:with-methods {:query find-it} :paths [:Salesforce/Account]})\n(dataflow :Go {:Salesforce/Account? {}})',
    ),
  },
  {
    title: 'a function of a resolver that needs a library that is not there loads with a warning',
    files: earlier(withMissingLibrary),
    told: /warning .*clj-http\.client[\s\S]*warning .*slurp[\s\S]*2 warnings/,
  },
  { title: 'an identifier may be of the type Any', files: earlier('(entity :E {:Id {:type :Any :guid true}})') },
  {
    title: 'documents of agents stand in config.edn by the names of the agents',
    files: {
      ...earlier('{:Platform.Core/Agent {:Name :clerk-one :Input :Ask :UserInstruction "Answer."}}'),
      'config.edn': '{:agent-documents {"clerk-one" ["file://docs/t.md"]}}',
      'docs/t.md': 'Text.',
    },
  },
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

test('a resolver suspends a workflow with @then, which goes on when its run is resumed', async () => {
  const served = await serveProject({
    'src/m.al': `${note}import "desk.js" @as desk
event ask { about String }
workflow go { {ask {about go.text}} @as said @then { {Note {id 1, text said}} } }
resolver desk [m/ask] { eval desk.ask }
`,
    'src/desk.js': 'export const ask = (event, context) => { context.suspend(); };',
  });
  const { status, body } = await served.ask('POST /m/go', { text: 'a' });
  expect(status).toBe(202);
  const { runId } = Object(body);
  expect(await served.ask(`POST /platform.ai/Run/${runId}/resume`, { data: 'heard' })).toMatchObject({ body: { status: 'succeeded' } });
  expect(await served.ask('GET /m/Note')).toMatchObject({ body: [{ id: 1, text: 'heard' }] });
});

test('format takes the colon away that stands behind the name of an attribute', async () => {
  const place = workspace({ 'src/m.al': `${note}workflow go { {Note {id: 1, text: go.text}} }` });
  onTestFinished(() => place.remove());
  expect((await command(place.folder, 'format')).code).toBe(0);
  expect(place.read('src/m.al')).toContain('{Note {id 1, text go.text}}');
});

test('a function that needs a library that is not there fails when it is called, and the log says what is missing', async () => {
  const served = await serveProject(earlier(withMissingLibrary));
  expect(await served.ask('POST /api/M/E', { 'M/E': { Id: 1 } })).toMatchObject({ status: 502, body: [{ code: 'resolver-failed' }] });
  expect(await served.ask('GET /api/M/E/1')).toMatchObject({ status: 502, body: [{ code: 'resolver-failed' }] });
  const logged = served.logged.map(({ err }) => String(err instanceof Error ? `${err.message} ${String(err.cause)}` : err)).join();
  expect(logged).toMatch(/clj-http\.client\/post is not there[\s\S]*slurp is not there/);
});

test('what is declared under the name of another component is served there', async () => {
  const served = await serveProject(earlier('(entity :Salesforce/Account {:Id {:type :Int :guid true}})'));
  expect((await served.ask('POST /api/Salesforce/Account', { 'Salesforce/Account': { Id: 1 } })).status).toBe(200);
  expect(await served.ask('GET /api/Salesforce/Account/1')).toMatchObject({
    status: 200,
    body: { '-*-type-*-': 'Salesforce/Account', Id: 1 },
  });
});
