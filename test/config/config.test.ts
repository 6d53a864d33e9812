// config.al: what a script means, what is refused and where, and where the data goes.

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Settings, settingsFrom } from '../../src/config/config.ts';
import { readSettings } from '../../src/config/project.ts';
import type { Diagnostic } from '../../src/diagnostics.ts';
import { mergedSettings } from '../../src/resolvers/configured.ts';
import { counted } from '../support/form.ts';

const acme = '{"name": "acme", "issuer": "https://id.example.com", "clientId": "shop", "clientSecret": "s"}';
const environment = { PORT: '9001', SECRET: 'sesame', EMPTY: '' };

function read(text: string | undefined, file = '/project/config.al'): { settings: Settings; diagnostics: readonly Diagnostic[] } {
  const config = text === undefined ? undefined : { file, text };
  const project = {
    name: '@acme/shop',
    version: '1.0.0',
    folder: '/project',
    sources: [],
    config,
    surface: 'current',
    manifest: undefined,
    components: new Map(),
    packages: [],
    documents: [],
  } as const;
  return readSettings(project, environment, () => 'UUID');
}

test('a second entry for a resolver leaves what it does not speak of as the first one says', () => {
  const said = (second: string) => {
    const first = '{"name": "hr/people", "arguments": "context-first", "timeout": 5}';
    const { settings, diagnostics } = read(`{"resolvers": [${first}, {"name": "hr/people", ${second}}]}`);
    expect(diagnostics).toEqual([]);
    return mergedSettings(settings.resolvers);
  };
  expect(said('"timeout": 9')).toEqual([{ name: 'hr/people', isContextFirst: true, timeout: 9 }]);
  expect(said('"arguments": "argument-first"')).toEqual([{ name: 'hr/people', isContextFirst: false, timeout: 5 }]);
});

/** They cannot be had yet: what they bring is known, and is part of the model as soon as they can. */
test('parts that are on bring their modules; access control brings authentication', () => {
  const span = { source: { file: '', text: '' }, start: 0, end: 0 };
  const place = { projectFolder: '/project', projectName: 'p', configFile: undefined, storeId: () => 'UUID' };
  const systemOf = (...keys: readonly string[]) =>
    settingsFrom(new Map(keys.map((key) => [key, { kind: 'scalar', value: true, span }] as const)), place).system;
  expect(systemOf()).toEqual([]);
  expect(systemOf('auth.enabled')).toEqual(['auth']);
  expect(systemOf('rbac.enabled')).toEqual(['auth', 'rbac']);
  expect(systemOf('auditTrail.enabled', 'rbac.enabled')).toEqual(['auth', 'rbac', 'audit']);
});

test('a hosted user pool is said by the environment, under the names of either surface', () => {
  const span = { source: { file: '', text: '' }, start: 0, end: 0 };
  const given = new Map([['auth.enabled', { kind: 'scalar', value: true, span } as const]]);
  const hosted = (variables: Readonly<Record<string, string>>) => {
    const place = { projectFolder: '/project', projectName: 'p', configFile: undefined, storeId: () => 'UUID', environment: variables };
    return settingsFrom(given, place).auth?.hosted;
  };
  const pool = { IDP_USER_POOL_ID: 'eu-west-1_x', IDP_CLIENT_ID: 'c' };
  const plain = { userPoolId: 'eu-west-1_x', clientId: 'c', region: 'eu-west-1', endpoint: undefined, credentials: undefined };
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  expect(hosted({ CLOUD_REGION: 'eu-west-1', IDP_CLIENT_ID: '' })).toBeUndefined();
  expect(hosted(pool)).toEqual(plain);
  expect(hosted({ ...pool, CLOUD_REGION: 'us-east-1', IDP_ENDPOINT: 'http://localhost:9229' })).toEqual({
    ...plain,
    region: 'us-east-1',
    endpoint: 'http://localhost:9229',
  });
  expect(hosted({ ...pool, CLOUD_ACCESS_KEY: 'a', CLOUD_SECRET_KEY: 's' })).toEqual({ ...plain, credentials });
  expect(hosted({ ...pool, CLOUD_ACCESS_KEY_ID: 'a', CLOUD_SECRET_ACCESS_KEY: 's' })).toEqual({ ...plain, credentials });
});

describe('a configuration means', () => {
  const cases: readonly (readonly [title: string, text: string | undefined, expected: object])[] = [
    ['port 8080 without a file', undefined, { service: { port: 8080, host: undefined } }],
    ['the minimal configuration holds only the port', '{"service": {"port": 8081}}', { service: { port: 8081 } }],
    ['port 8080 without service.port', '{"log": {"level": "warn"}}', { service: { port: 8080 }, log: { level: 'warn' } }],
    ['a section is bound with @as and combined', '{"port": 8082} @as s\n{"service": s}', { service: { port: 8082 } }],
    [
      'sections are combined into one map',
      '{"port": 8083} @as service\n{"type": "sqlite", "dbname": "a.db"} @as store\n{"service": service, "store": store}',
      { service: { port: 8083 }, store: { type: 'sqlite', file: '/project/a.db' } },
    ],
    ['a part of a section is used', '{"port": 8084} @as s\n{"service": {"port": s.port}}', { service: { port: 8084 } }],
    ['the last value is the configuration', '{"service": {"port": 1}}\n{"service": {"port": 2}}', { service: { port: 2 } }],
    ['#js reads the environment', '{"service": {"port": "#js parseInt(process.env.PORT)"}}', { service: { port: 9001 } }],
    ['#js supplies a fallback', `{"service": {"port": "#js process.env.NONE || '8085'"}}`, { service: { port: 8085 } }],
    [
      '#js may give a whole section',
      '{"service": "#js ({port: 8086, cors: {origins: [\'*\']}})"}',
      { service: { port: 8086, cors: { origins: ['*'] } } },
    ],
    ['a section that is not used is not run', '{"port": "#js fail()"} @as unused\n{"service": {"port": 1}}', { service: { port: 1 } }],
    ['a clean number may be a text', '{"service": {"port": "8087"}}', { service: { port: 8087 } }],
    ['comments and trailing commas are allowed', '// ports\n{"service": {"port": 8088,},}', { service: { port: 8088 } }],
    [
      'what is off may be said to be off',
      '{"auth": {"enabled": false}, "rbac": {"enabled": false}, "graphql": {"enabled": false}}',
      { system: [] },
    ],
    [
      'limits',
      '{"service": {"limits": {"body": 2048, "tree": {"depth": 3}}}}',
      { service: { limits: { body: 2048, depth: 64, tree: { depth: 3, size: 10_000 } } } },
    ],
    ['a rate limit has a window of a minute', '{"service": {"rateLimit": {"max": 5}}}', { service: { rateLimit: { max: 5, window: 60 } } }],
    ['the log is readable on a terminal unless told otherwise', '{"log": {"format": "json"}}', { log: { level: 'info', format: 'json' } }],
    [
      'third-party services, with the scopes that a sign-in needs',
      `{"service": {"host": "0.0.0.0", "url": "https://shop.example.com"}, "auth": {"enabled": true, "providers": [${acme}], "redirects": ["http://localhost:3000/in", "com.example.shop:/in"]}}`,
      {
        auth: {
          providers: [
            { name: 'acme', issuer: 'https://id.example.com', clientId: 'shop', clientSecret: 's', scopes: ['openid', 'email', 'profile'] },
          ],
          redirects: ['http://localhost:3000/in', 'com.example.shop:/in'],
        },
      },
    ],
    ['parts can be hidden', '{"service": {"expose": {"docs": false}}}', { service: { expose: { docs: false, openapi: true } } }],
    [
      'without store the data is in the project folder',
      '{"service": {"port": 1}}',
      { store: { type: 'sqlite', file: '/project/data/acme-shop.db' } },
    ],
    ['a store without dbname is named by a uuid', '{"store": {"type": "sqlite"}}', { store: { file: '/project/data/db-UUID.db' } }],
    ['an empty store section too', '{"store": "#js ({})"}', { store: { file: '/project/data/db-UUID.db' } }],
    ['an absolute dbname stays', '{"store": {"type": "sqlite", "dbname": "/var/shop.db"}}', { store: { file: '/var/shop.db' } }],
    [
      'a server has defaults for everything',
      '{"store": {"type": "postgres"}}',
      {
        store: {
          type: 'postgres',
          host: 'localhost',
          port: 5432,
          username: 'postgres',
          password: 'postgres',
          dbname: 'postgres',
          pool: 10,
          prepare: true,
          statementTimeout: 10,
          lockTimeout: 5,
          listen: true,
          ssl: 'off',
          ca: undefined,
        },
      },
    ],
    [
      'the port of a server may be a text',
      '{"store": {"type": "postgres", "host": "db", "port": "5433", "password": "p", "dbname": "shop"}}',
      { store: { host: 'db', port: 5433, password: 'p', dbname: 'shop' } },
    ],
    [
      'or a number',
      '{"store": {"type": "postgres", "port": 5433, "ssl": "verify", "ca": "ca.pem", "prepare": false}}',
      { store: { port: 5433, ssl: 'verify', ca: '/project/ca.pem', prepare: false } },
    ],
  ];
  for (const [title, text, expected] of cases) {
    test(title, () => {
      const { settings, diagnostics } = read(text);
      expect(diagnostics).toEqual([]);
      expect(settings).toMatchObject(expected);
    });
  }

  test('files of keys are relative to the configuration file', () => {
    const here = (name: string) => join(import.meta.dirname, name);
    const text = JSON.stringify({ service: { tls: { key: 'config.test.ts', cert: here('page.test.ts') } } });
    const { settings, diagnostics } = read(text, here('config.al'));
    expect([diagnostics, settings.service.tls]).toEqual([[], { key: here('config.test.ts'), cert: here('page.test.ts') }]);
  });

  test('a relative dbname is relative to the configuration file, not to the project', () => {
    expect(read('{"store": {"type": "sqlite", "dbname": "x.db"}}', '/etc/shop/config.al').settings.store).toEqual({
      type: 'sqlite',
      file: '/etc/shop/x.db',
      timeout: 30,
      memory: 16_777_216,
    });
  });
});

describe('a configuration is refused', () => {
  const cases: readonly (readonly [title: string, text: string, expected: readonly string[], suggestion?: string])[] = [
    ['an unknown key, with a suggestion', '{"service": {"prot": 1}}', ['1:14 config-key-unknown'], 'did you mean "port"?'],
    ['an unknown section, with a suggestion', '{"servce": {"port": 1}}', ['1:2 config-key-unknown'], 'did you mean "service"?'],
    ['a key in the wrong place', '{"dbname": "x"}', ['1:2 config-key-unknown'], 'did you mean store.dbname?'],
    [
      'a section that was never combined',
      '{"port": 1} @as service\n{"type": "sqlite"} @as store',
      ['2:2 config-key-unknown'],
      'did you mean store.type?',
    ],
    [
      'names that every object has',
      '{"constructor": 1, "__proto__": {}, "service": {"toString": 1}}',
      ['1:2 config-key-unknown', '1:20 config-key-unknown', '1:49 config-key-unknown'],
    ],
    ['a wrong type', '{"service": {"port": true}}', ['1:22 config-value']],
    ['a number that is not clean', '{"service": {"port": "80a"}}', ['1:22 config-value']],
    ['a number out of range', '{"service": {"port": 65536}}', ['1:22 config-value']],
    ['a broken number', '{"service": {"port": 1.5}}', ['1:22 config-value']],
    ['a truth value as text', '{"auth": {"enabled": "false"}}', ['1:22 config-value']],
    ['a section that is not a map', '{"service": 8080}', ['1:13 config-value']],
    ['a value that is not one of the known', '{"store": {"type": "mysql"}}', ['1:20 config-value']],
    ['a database without a file', '{"store": {"type": "sqlite", "dbname": ":memory:"}}', ['1:40 config-value']],
    ['an origin that is a page', '{"service": {"cors": {"origins": ["https://a.example/x"]}}}', ['1:34 config-value']],
    [
      'files of keys that are not there',
      '{"service": {"tls": {"key": "k.pem", "cert": "/"}}}',
      ['1:29 config-value service.tls.key: the file k.pem cannot be read', '1:46 config-value service.tls.cert: the file / cannot be read'],
    ],
    ['one half of a pair', '{"service": {"tls": {"key": "k.pem"}}}', ['1:22 config-value']],
    ['keys of another store', '{"store": {"type": "sqlite", "host": "db"}}', ['1:30 config-key-unknown']],
    ['a key that is given twice', '{"service": {"port": 1, "port": 2}}', ['1:25 config-invalid']],
    [
      'all faults at once',
      '{"a": 1,\n "service": {"port": "x", "hots": 1},\n "log": {"level": "loud"}}',
      ['1:2 config-key-unknown', '2:22 config-value', '2:27 config-key-unknown', '3:19 config-value'],
    ],
    ['a name that is not bound', '{"service": servce}', ['1:13 config-invalid']],
    ['a name that is nearly bound', '{"port": 1} @as srv\n{"service": svr}', ['2:13 config-invalid'], 'did you mean srv?'],
    ['an instance', '{blog/Post {slug "x"}}', ['1:1 config-invalid']],
    ['a last value that is no map', '[1, 2]', ['1:1 config-invalid']],
    ['an empty file', '// nothing\n', ['1:1 config-invalid']],
    ['text that cannot be read', '{"service": }', ['1:13 token-unexpected']],
    [
      'an expression that fails',
      '{"service": {"port": "#js nothing()"}}',
      ['1:22 config-expression the expression fails: ReferenceError: nothing is not defined'],
    ],
    [
      'an expression that reads of nothing',
      '{"service": {"port": "#js process.env.NONE.length"}}',
      ["1:22 config-expression the expression fails: TypeError: Cannot read properties of undefined (reading 'length')"],
    ],
    [
      'an expression with a failure of its own, whose text may hold anything',
      `{"service": {"port": "#js (() => { throw new RangeError('no ' + process.env.SECRET) })()"}}`,
      ['1:22 config-expression the expression fails: RangeError'],
    ],
    [
      'an expression that cannot be read',
      '{"service": {"port": "#js ("}}',
      ["1:22 config-expression the expression cannot be read: Unexpected token ')'"],
    ],
    ['an expression that never ends', '{"service": {"port": "#js (() => { for (;;); })()"}}', ['1:22 config-expression']],
    ['an expression that ends the process', '{"service": {"port": "#js process.exit(3)"}}', ['1:22 config-expression']],
    [
      'an environment variable that is unset',
      '{"service": {"host": "#js process.env.NONE"}}',
      ['1:22 config-expression'],
      'is an environment variable unset? Give a fallback: process.env.NAME ?? "value"',
    ],
    ['an authority without encryption', '{"store": {"type": "postgres", "ca": "ca.pem"}}', ['1:32 config-value']],
    [
      'a third-party service with a slip of the hand, and without what it needs',
      '{"auth": {"providers": [\n{"name": "acme", "isuer": "https://id.example.com", "clientId": "shop"}]}}',
      [
        '2:18 config-key-unknown there is no setting auth.providers.isuer',
        '2:1 config-value a provider of auth.providers needs issuer',
        '2:1 config-value a provider of auth.providers needs clientSecret',
      ],
      'did you mean "issuer"?',
    ],
    [
      'third-party services whose values do not fit',
      `{"auth": {"providers": [\n{"name": "a b", "issuer": "http://id.example.com", "clientId": "", "clientSecret": 1, "scopes": "email"},\n"acme"]}}`,
      ['2:10 config-value', '2:27 config-value', '2:64 config-value', '2:84 config-value', '2:97 config-value', '3:1 config-value'],
    ],
    ['two third-party services of one name', `{"auth": {"providers": [${acme},\n${acme}]}}`, ['2:10 config-value']],
    ['third-party services that are no list', '{"auth": {"providers": {}}}', ['1:24 config-value']],
    [
      'third-party services of a service that does not know its address',
      `{"service": {"host": "0.0.0.0"},\n"auth": {"providers": [${acme}]}}`,
      ['2:10 config-value auth.providers needs service.url beside it, as service.host is not of this machine alone'],
    ],
    [
      'mail of a service that does not know its address',
      '{"service": {"host": "0.0.0.0"},\n"auth": {"mail": {"host": "mail", "from": "a@b.c"}}}',
      ['2:19 config-value auth.mail.host needs service.url beside it, as service.host is not of this machine alone'],
    ],
    [
      'third-party services of a service that is reached unencrypted',
      `{"service": {"url": "http://shop.example.com"}, "auth": {"providers": [${acme}]}}`,
      ['1:21 config-value service.url must begin with https where auth.providers is given'],
    ],
    [
      'a place to go to that is no address, or a script',
      `{"auth": {"providers": [${acme}], "redirects":\n["javascript:alert(1)"]}}`,
      ['2:1 config-value'],
    ],
    ['an unencrypted place to go to', `{"auth": {"providers": [${acme}], "redirects":\n["http://a.example.com"]}}`, ['2:1 config-value']],
    ['places to go to without a third-party service', '{"auth": {"redirects": []}}', ['1:11 config-value']],
    [
      'what is said of resolvers with a slip of the hand, or without a name',
      '{"resolvers": [{"name": "hr/people", "timout": 5},\n{"timeout": 0},\n{"name": "people", "arguments": "last", "config": 1}]}',
      [
        '1:38 config-key-unknown there is no setting resolvers.timout',
        '2:1 config-value an entry of resolvers needs name',
        '2:13 config-value',
        '3:10 config-value',
        '3:33 config-value',
        '3:51 config-value',
      ],
    ],
    [
      'the config of a resolver without code with a slip of the hand, or with values of another type',
      `{"resolvers": [{"name": "hr/a", "type": "rest", "config":
{"baseUrl": "https://a.example.com", "mapp": {}, "ownNetwork": "true", "headers": {"x": 1}, "map": {"name": 1}, "constructor": 1}},
{"name": "hr/b", "type": "sql", "config":
{"file": "a.db", "table": "b", "columns": {}}},
{"name": "hr/c", "type": "memory", "config": {"file": "a"}},
{"name": "hr/d", "config": {"anything": 1}}]}`,
      [
        '2:38 config-key-unknown there is no setting resolvers.config.mapp',
        '2:64 config-value resolvers.config.ownNetwork must be true or false',
        '2:83 config-value',
        '2:100 config-value',
        '2:113 config-key-unknown',
        '4:32 config-key-unknown',
        '5:47 config-key-unknown',
      ],
      'did you mean "map"?',
    ],
    ['an unknown provider of a language model', '{"llm": {"provider": "x"}}', ['1:22 config-value']],
    ['an address of a language model that is none', '{"llm": {"baseUrl": "localhost"}}', ['1:21 config-value']],
    [
      'an unknown key of a further model',
      '{"llm": {"models": {"a": {"modle": "x"}}}}',
      ['1:27 config-key-unknown'],
      'did you mean "model"?',
    ],
    ['an unknown provider of a further model', '{"llm": {"models": {"a": {"provider": "x"}}}}', ['1:39 config-value']],
  ];
  for (const [title, text, expected, suggestion] of cases) {
    test(title, () => {
      const { diagnostics } = read(text);
      const shown = ({ line, column, code, message }: Diagnostic, index: number) =>
        expected[index]?.includes(`${code} `) === true ? `${line}:${column} ${code} ${message}` : `${line}:${column} ${code}`;
      expect(diagnostics.map(shown)).toEqual(expected);
      expect(diagnostics.every((each) => each.severity === 'error' && each.file === '/project/config.al')).toBe(true);
      if (suggestion !== undefined) expect(diagnostics[0]?.suggestion).toBe(suggestion);
    });
  }
});

test("predecessors' keys that mean nothing here warn", () => {
  const keys = ['logging', 'monitoring', 'authentication', 'integrations', 'customErrorMessages'];
  const { settings, diagnostics } = read(`{${keys.map((key) => `"${key}": {"enabled": true}`).join(', ')}, "service": {"port": 1}}`);
  expect(diagnostics.map((each) => `${each.severity} ${each.code}`)).toEqual(keys.map(() => 'warning config-key-ignored'));
  expect(settings.service.port).toBe(1);
});

test('the password that everybody knows warns where the server is on another machine', () => {
  const warnings = (store: object) =>
    read(JSON.stringify({ store: { type: 'postgres', ...store } })).diagnostics.map((each) => `${each.severity} ${each.code}`);
  expect(warnings({ host: 'db.example.com' })).toEqual(['warning config-password']);
  expect(warnings({ host: 'db.example.com', password: 'postgres' })).toEqual(['warning config-password']);
  for (const host of ['localhost', '127.0.0.1', '::1', '/var/run/postgresql']) expect(warnings({ host })).toEqual([]);
  expect(warnings({ host: 'db.example.com', password: 'another' })).toEqual([]);
});

test('what an expression works with is never printed', () => {
  const texts = [
    '#js fail(process.env.SECRET)',
    '#js (() => { throw new Error(process.env.SECRET) })()',
    '#js process.env.SECRET',
    '#js [process.env.SECRET]',
    '#js JSON.parse(process.env.SECRET)',
    '#js null[process.env.SECRET]',
    "#js (() => { throw new TypeError(process.env.SECRET + ' is not defined') })()",
  ];
  for (const text of texts) {
    const { diagnostics } = read(`{"service": {"port": "${text}"}}`);
    expect(diagnostics).toHaveLength(1);
    expect(JSON.stringify(diagnostics)).not.toContain('sesame');
  }
});

test('an expression does not reach the prototypes of the service', () => {
  read('{"service": {"port": "#js (Object.prototype.polluted = 1, 1)"}}');
  expect({}).not.toHaveProperty('polluted');
});

test('whatever the text is, reading it gives diagnostics and no exception', () => {
  const word = fc.constantFrom(
    '{',
    '}',
    '"service"',
    '"port"',
    ':',
    ',',
    '8080',
    '@as',
    's',
    '"#js 1"',
    '"#js ("',
    '[',
    ']',
    'true',
    '"store"',
    '-',
    '\n',
    '.',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 24 }), (words) => {
      const { diagnostics, settings } = read(words.join(' '));
      expect(diagnostics.length > 0 || Number.isInteger(settings.service.port)).toBe(true);
    }),
    { numRuns: counted({ long: 2000, short: 70 }) },
  );
});
