// Instances in a configuration: put in place at every start, on both surfaces; what does not fit is told where it stands.

import picocolors from 'picocolors';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { type Loaded, loadText } from '../../src/cli/load.ts';
import { toCurrentConfig, toEarlierConfig } from '../../src/config/convert.ts';
import type { Log } from '../../src/http/server/log.ts';
import { workspace } from '../cli/harness.ts';
import { call } from '../http/openapi-client.ts';

type Files = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string>>;

const crm = `module crm
entity Config { host String, port Int @default(80), token String @optional, ratio Float @optional }
entity Plan { name String @id, price Decimal, seats Int @optional, notes Map @optional }
entity Part { no Int @id }
entity Strict { id Int @id, secret String }
relationship PlanPart contains(Plan, Part)
`;

const camel = `(component :Camel.X)
(entity :Config {:ClientId {:type :String :optional true} :Port {:type :Int :optional true} :Kind :Keyword})
(entity :Level {:Name {:type :String :guid true} :Rank :Int})
`;

const current = (config: string): Files => ({ 'src/crm.al': crm, 'config.al': config });
const earlier = (config: string): Files => ({
  'model.platform': '{:name :Camel :version "1" :platform-version "current" :components [:Camel.X]}',
  'camel/x.platform': camel,
  'config.edn': config,
});

const silence = () => {};
const silent: Log = { debug: silence, info: silence, warn: silence, error: silence, isLevelEnabled: () => false };

function load(folder: string, environment: Environment): Promise<Loaded> {
  const terminal = { out: silence, err: silence, isTerminal: false, colours: picocolors.createColors(false), folder, environment };
  return loadText({ path: '.', config: undefined, keepsStoreId: false }, terminal);
}

/** Starts the project, asks, and stops it again. */
async function started(folder: string, path: string, environment: Environment = {}): Promise<unknown> {
  const { model, settings, diagnostics } = await load(folder, environment);
  if (model === undefined) throw new Error(JSON.stringify(diagnostics));
  const app = await createApp({ model, settings, name: 'test', version: '1', folder, log: silent });
  const { body } = await call(app, 'GET', path);
  await app.close();
  return body;
}

describe('what is put in place', () => {
  test('is there after the start, changed after the next one, and never twice', async () => {
    const place = workspace(
      current('{"platform": {"service": {"port": 9000}}, "crm": {"crm/Plan": {"name": "a", "price": "1.50", "notes": {"b": [1]}}}}'),
    );
    onTestFinished(place.remove);
    expect((await load(place.folder, {})).settings.service.port).toBe(9000);
    expect(await started(place.folder, '/crm/Plan')).toEqual([{ name: 'a', price: '1.50', seats: null, notes: { b: [1] } }]);
    place.write('config.al', '{"crm": [{"crm/Plan": {"name": "a", "price": 2, "seats": 5}}, {"crm/Plan": [{"name": "b", "price": "3"}]}]}');
    expect(await started(place.folder, '/crm/Plan')).toEqual([
      { name: 'a', price: '2', seats: 5, notes: { b: [1] } },
      { name: 'b', price: '3', seats: null, notes: null },
    ]);
  });

  test('without an identifier it takes the place of the one that there is', async () => {
    const place = workspace(current('{"crm/Config": {"host": "one", "token": "#js process.env.TOKEN"}}'));
    onTestFinished(place.remove);
    const one = await started(place.folder, '/crm/Config', { TOKEN: 't' });
    expect(one).toEqual([{ __Id__: expect.any(String), host: 'one', port: 80, token: 't', ratio: null }]);
    place.write('config.al', '{"crm/Config": {"host": "two", "port": "#js process.env.PORT", "token": "#js process.env.TOKEN"}}');
    // The variable is gone, and with it the value; a text of the environment is read as the type of its attribute.
    expect(await started(place.folder, '/crm/Config', { PORT: '8080' })).toEqual([
      { __Id__: expect.any(String), host: 'two', port: 8080, token: null, ratio: null },
    ]);
  });

  test('on the earlier surface stands by its type, with values of the environment', async () => {
    const place = workspace(
      earlier(
        '{:service {:port 9000} :Camel.X/Config {:ClientId #$ CLIENT :Port #$ PORT :Kind :big} :Camel.X/Level [{:Name "a" :Rank 1} {:Name "b" :Rank 2}]}',
      ),
    );
    onTestFinished(place.remove);
    const path = '/api/Camel.X/Config';
    expect(await started(place.folder, path, { CLIENT: 'c', PORT: '7' })).toMatchObject([{ ClientId: 'c', Port: 7, Kind: 'big' }]);
    expect(await started(place.folder, path, { PORT: '8' })).toMatchObject([{ ClientId: null, Port: 8, Kind: 'big' }]);
    expect(await started(place.folder, '/api/Camel.X/Level')).toMatchObject([{ Name: 'a' }, { Name: 'b' }]);
  });

  test('what lacks a value that it must have is left out, and the start goes on', async () => {
    const place = workspace(current('{"crm/Strict": {"id": 1, "secret": "#js process.env.NONE"}}'));
    onTestFinished(place.remove);
    expect(await started(place.folder, '/crm/Strict')).toEqual([]);
  });
});

describe('what is put in place', () => {
  const source = (file: string, text: string) => ({ file, text });

  test('stays in the configuration of the other surface, without the values of the environment', () => {
    const current =
      '{"platform": {"service": {"port": 1}}, "crm": [{"crm/Config": {"host": "x", "token": "#js process.env.T"}}, {"crm/Plan": {"name": "a"}}, {"crm/Plan": {"name": "b"}}]}';
    expect(toEarlierConfig(source('config.al', current))).toEqual({
      text: '{:service {:port 1} :crm/Config {:host "x" :token #$ T} :crm/Plan [{:name "a"} {:name "b"}]}\n',
      missing: [],
    });
    const earlier = '{:service {:port 1} :Camel.X/Config {:ClientId #$ C :Kind :big} :Camel.X/Level [{:Name "a"} {:Name "b"}]}';
    expect(toCurrentConfig(source('config.edn', earlier))).toEqual({
      text: '{"service": {"port": 1}, "Camel.X/Config": {"ClientId": "#js process.env.C", "Kind": "big"}, "Camel.X/Level": [{"Name": "a"}, {"Name": "b"}]}\n',
      missing: [],
    });
  });
});

describe('a diagnostic says', () => {
  const rows: readonly (readonly [title: string, files: Files, expected: readonly string[]])[] = [
    ['that a variable is not set', current('{"crm/Config": {"host": "x", "token": "#js process.env.NONE"}}'), ['config-unset 1:39']],
    ['that there is no such entity', current('{"crm": {"crm/Confg": {"host": "x"}}}'), ['config-key-unknown 1:10']],
    ['that there is no such attribute', current('{"crm/Config": {"host": "x", "hots": "y"}}'), ['attribute-unknown 1:30']],
    ['that a value does not fit', current('{"crm/Config": {"host": 5}}'), ['value-type 1:25']],
    ['that a value is missing', current('{"crm/Config": {"port": 5}}'), ['attribute-missing 1:2']],
    ['that two cannot be told apart', current('{"crm/Config": [{"host": "x"}, {"host": "y"}]}'), ['config-invalid 1:2']],
    ['that a child has no parent here', current('{"crm/Part": {"no": 1}}'), ['config-value 1:2']],
    ['that it is no map of attributes', current('{"crm/Config": 5}'), ['config-invalid 1:16']],
    [
      'that a part of the service is not there',
      current('{"platform.ai": [{"platform.ai/Run": {"id": "x"}}]}'),
      ['config-not-available 1:19'],
    ],
    ['what a language model lacks', current('{"platform.ai": [{"platform.ai/LLM": {"service": "openai"}}]}'), ['attribute-missing 1:19']],
    ['that a variable of the earlier surface is not set', earlier('{:Camel.X/Config {:ClientId #$ NONE :Kind :a}}'), ['config-unset 1:29']],
  ];
  for (const [title, files, expected] of rows) {
    test(title, async () => {
      const place = workspace(files);
      onTestFinished(place.remove);
      const { diagnostics } = await load(place.folder, {});
      expect(diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual(expected);
      for (const { file } of diagnostics) expect(file).toMatch(/config\.(al|edn)$/);
    });
  }
});
