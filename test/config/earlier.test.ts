// config.edn, held against the same table as config.al.

import { describe, expect, test } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import { readSettings } from '../../src/config/project.ts';
import type { Diagnostic } from '../../src/diagnostics.ts';

const environment = { PORT: '9001', FLAG: 'true' };

function read(text: string): { settings: Settings; diagnostics: readonly Diagnostic[] } {
  const project = {
    name: 'shop',
    version: '1.0.0',
    folder: '/project',
    sources: [],
    config: { file: '/project/config.edn', text },
    surface: 'earlier',
    manifest: undefined,
    components: new Map(),
    packages: [],
    documents: [],
  } as const;
  return readSettings(project, environment, () => 'UUID');
}

describe('config.edn means', () => {
  const cases: readonly (readonly [title: string, text: string, expected: object])[] = [
    ['a port', '{:service {:port 8081}}', { service: { port: 8081, surfaces: ['earlier'], envelope: 'create' } }],
    [
      'the earlier surface, unless it says otherwise',
      '{:service {:surfaces [:earlier :current]}}',
      { service: { surfaces: ['earlier', 'current'] } },
    ],
    ['the envelope around every answer', '{:service {:envelope :all}}', { service: { envelope: 'all' } }],
    [
      'an embedded store for :h2, with the path of its file',
      '{:store {:type :h2 :dbname "./data/x"}}',
      { store: { type: 'sqlite', file: '/project/data/x' } },
    ],
    [
      'a server',
      '{:store {:type :postgres :host "localhost" :port "5433" :username "u" :password "p" :dbname "d" :statement-timeout 3}}',
      { store: { type: 'postgres', host: 'localhost', port: 5433, username: 'u', password: 'p', dbname: 'd', statementTimeout: 3 } },
    ],
    ['a value of the environment', '{:service {:port #$ PORT}}', { service: { port: 9001 } }],
    ['a fallback for one that is not set', '{:service {:port #$ [NONE 8082]}}', { service: { port: 8082 } }],
    ['a truth value of the environment', '{:service {:trust-proxy #$ FLAG}}', { service: { trustProxy: true } }],
    [
      'keys in kebab-case',
      '{:service {:rate-limit {:max 5 :window 10} :limits {:tree {:depth 3}}}}',
      { service: { rateLimit: { max: 5, window: 10 }, limits: { tree: { depth: 3 } } } },
    ],
    [
      'origins by their older name',
      '{:service {:cors-allow-origin ["https://a.example"]}}',
      { service: { cors: { origins: ['https://a.example'] } } },
    ],
    ['access control, also as it was misspelt, switches authentication on', '{:rbac-enbled true}', { system: ['auth', 'rbac'] }],
    ['what is off may be said to be off', '{:rbac-enbled false :audit-trail {:enabled false} :graphql {:enabled false}}', {}],
    ['comments and commas are allowed', '; where\n{:service, {:port 8083,}}', { service: { port: 8083 } }],
    [
      'third-party services, in kebab-case',
      '{:authentication {:enabled true :providers [{:name "acme" :issuer "http://localhost:9000" :client-id "shop" :client-secret #$ PORT :scopes ["groups"]}]}}',
      {
        auth: {
          providers: [
            {
              name: 'acme',
              issuer: 'http://localhost:9000',
              clientId: 'shop',
              clientSecret: '9001',
              scopes: ['openid', 'email', 'groups'],
            },
          ],
        },
      },
    ],
    ['a level of logging', '{:log {:level :warn}}', { log: { level: 'warn' } }],
  ];
  for (const [title, text, expected] of cases) {
    test(title, () => {
      const { settings, diagnostics } = read(text);
      expect(diagnostics).toEqual([]);
      expect(settings).toMatchObject(expected);
    });
  }
});

describe('config.edn is refused', () => {
  const cases: readonly (readonly [title: string, text: string, expected: readonly string[]])[] = [
    ['empty', '', ['1:1 config-invalid']],
    ['not a map', '[1]', ['1:1 config-invalid']],
    ['unreadable', '{:service', ['1:1 token-unexpected', '1:2 token-unexpected']],
    ['unknown keys', '{:service {:prot 1} :nope 2}', ['1:12 config-key-unknown', '1:21 config-key-unknown']],
    ['a value of another type', '{:service {:port :high}}', ['1:18 config-value']],
    ['a section that is no map', '{:service 3}', ['1:11 config-value']],
    ['an unset variable without a fallback', '{:service {:port #$ NONE}}', ['1:18 config-expression']],
    ['code', '{:service {:port (+ 1 2)}}', ['1:18 config-invalid']],
    ['other tags', '{:service {:port #inst "2020"}}', ['1:18 config-invalid']],
    ['keys that are no keywords', '{3 4}', ['1:2 config-invalid']],
    ['both spellings at once', '{:rbac-enabled false :rbac-enbled false}', ['1:22 config-invalid']],
    ['a store of another kind', '{:store {:type :mem}}', ['1:16 config-value']],
  ];
  for (const [title, text, expected] of cases) {
    test(title, () => {
      const found = read(text).diagnostics.filter((each) => each.severity === 'error');
      expect(found.map((each) => `${each.line}:${each.column} ${each.code}`)).toEqual(expected);
    });
  }

  test('what the predecessor had and means nothing here warns', () => {
    const { diagnostics } = read('{:logging {:dev-mode true} :nrepl {:port 7888} :store {:type :h2 :username "sa"}}');
    expect(diagnostics.map((each) => each.code)).toEqual(Array.from({ length: 3 }, () => 'config-key-ignored'));
  });
});
