// The OpenAPI document: valid, complete, and true of the running service. The page that shows it asks nobody else for anything.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { validate } from '@scalar/openapi-parser';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { surfacesOf } from '../../src/http/openapi/answers.ts';
import { type OpenApiDocument, openapiOf } from '../../src/http/openapi/openapi.ts';
import type { SystemPart } from '../../src/model/system-module.ts';
import { compile } from '../../src/plan/compile.ts';
import { command, root, workspace } from '../cli/harness.ts';
import { type OidcPeer, oidcPeer } from '../identity/peers/oidc.ts';
import { sampled } from '../support/form.ts';
import { answerCheck, at, call, resolved } from './openapi-client.ts';
import { sendEvents, sendExamples } from './openapi-examples.ts';
import { asAdmin } from './openapi-identity.ts';
import { admin, appOf, blog, company, everything, modelOf } from './openapi-model.ts';
import { submitted } from './openapi-page.ts';
import { misuse, perform } from './openapi-perform.ts';
import { startWalk, succeed } from './openapi-walk.ts';

interface Sample {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Attributes that refer to an instance, and the component of what they refer to. */
  readonly references?: Readonly<Record<string, string>>;
  readonly surfaces: readonly ('current' | 'earlier')[];
  readonly envelope?: 'create' | 'all';
  /** What is on of the service; an admin calls where authentication is. */
  readonly system?: readonly SystemPart[];
  /** The services that users sign in at. */
  readonly providers?: readonly string[];
}

const references = { vendor: 'people.Person', like: 'shop.Colour' };

const [user, earlierUser] = ['platform.auth.User', 'Platform.Kernel.Identity.User'];
const users = { assignee: user, user, Assignee: earlierUser, User: earlierUser };

const all: readonly SystemPart[] = ['auth', 'rbac', 'audit'];

const samples: readonly Sample[] = [
  { name: 'the blog', files: blog(), surfaces: ['current'] },
  { name: 'a model with everything', files: everything, references, surfaces: ['current'] },
  { name: 'a model with everything, on the earlier surface', files: everything, references, surfaces: ['earlier'] },
  { name: 'a company, in the language of the earlier surface', files: company, surfaces: ['earlier'] },
  { name: 'a company, every answer in the envelope', files: company, surfaces: ['earlier'], envelope: 'all' },
  { name: 'a company, on both surfaces', files: company, surfaces: ['earlier', 'current'] },
  { name: 'the blog, with users', files: blog(), references: users, surfaces: ['current'], system: ['auth'] },
  { name: 'a company with users, on both surfaces', files: company, references: users, surfaces: ['earlier', 'current'], system: ['auth'] },
  { name: 'the blog, with access control and an audit trail', files: blog(), references: users, surfaces: ['current'], system: all },
  {
    name: 'a company with all of that, on both surfaces',
    files: company,
    references: users,
    surfaces: ['earlier', 'current'],
    system: all,
  },
  { name: 'a company with an audit trail alone', files: company, surfaces: ['earlier'], system: ['audit'] },
  {
    name: 'a company whose users sign in elsewhere',
    files: company,
    references: users,
    surfaces: ['earlier'],
    system: ['auth'],
    providers: ['acme'],
  },
  {
    name: 'the blog, whose users sign in elsewhere',
    files: blog(),
    references: users,
    surfaces: ['current'],
    system: ['auth'],
    providers: ['acme'],
  },
];

/** In every run: each attribute, each part of the service on both surfaces, and users of elsewhere. Of the other forms the short one takes some. */
const always: readonly string[] = [
  'a model with everything',
  'a company with all of that, on both surfaces',
  'a company whose users sign in elsewhere',
];
const others = samples.filter(({ name }) => !always.includes(name));
const drawn = [...samples.filter(({ name }) => always.includes(name)), ...sampled(others, 5)];

const operatorPaths = ['source', 'migrations', 'status', 'explain', 'backup'].map((name) => `/platform/${name}`);

let peer: OidcPeer;
beforeAll(async () => {
  peer = await oidcPeer(['http://localhost:8080/auth/callback']);
});
afterAll(() => peer.close());

/** What the service itself checks, or makes along with what it is about: no example of that would be true of every service. */
const withoutExample = /(Identity|auth)\/(Disabled)?User|(Rbac|rbac)\/(Role|Ownership|InstancePrivilege)Assignment/;

/** Those whose examples are sent: each form of a model once. */
const shown: readonly string[] = [
  'the blog, with access control and an audit trail',
  'a model with everything',
  'a model with everything, on the earlier surface',
  'a company, every answer in the envelope',
  'a company, on both surfaces',
];

const about = { name: 'test', version: '1.2.3' };

for (const { name, files, surfaces, envelope = 'create', references: refers = {}, system = [], providers = [] } of drawn) {
  describe(`the document of ${name}`, () => {
    const auth = system.includes('auth');
    const plan = compile(modelOf(files, system), { identified: auth });
    const document = openapiOf(plan, { ...about, auth, providers, ...surfacesOf({ surfaces, envelope }) });
    const called = operations(document).filter(([template]) => !isMadeByTheService(template));
    /** What the service makes is listed; there may be none to be read. */
    const listed = operations(document).filter(
      ([template, method]) => isMadeByTheService(template) && method === 'get' && !template.includes('{'),
    );
    // Compiled once for all walks; most of what they take is that.
    let compiled: ReturnType<typeof answerCheck> | undefined;
    const check = () => {
      compiled ??= answerCheck(document);
      return compiled;
    };
    afterAll(() => {
      compiled = undefined;
    });
    const served = async () => {
      const { issuer, clientId, clientSecret } = peer;
      const thirdParty = {
        providers: providers.map((each) => ({ name: each, issuer, clientId, clientSecret, scopes: ['openid', 'email'] })),
      };
      const app = await appOf(files, {}, { surfaces, envelope }, system, { ...thirdParty, redirects: ['https://shop.example.com/home'] });
      return auth ? asAdmin(app, surfaces) : app;
    };

    test('passes the recommended rules of the linter', async () => {
      // Which licence an application has is not in its model.
      const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } });
      const problems = await lintFromString({ source: JSON.stringify(document), config });
      expect(problems.map(({ severity, ruleId, message, location }) => [severity, ruleId, message, location[0]?.pointer])).toEqual([]);
    });

    test('is valid for another validator', async () => {
      const { valid, errors } = await validate(JSON.stringify(document));
      expect([valid, errors]).toEqual([true, []]);
    });

    test('names each operation once', () => {
      const names = operations(document).map(([template, method]) => at(document, 'paths', template, method)['operationId']);
      expect(new Set(names).size).toBe(names.length);
    });

    test('groups operations by what they are about, and the groups by module', () => {
      const grouped = document['x-tagGroups'].flatMap((group) => group.tags);
      expect([...grouped].sort()).toEqual(document.tags.map((tag) => tag.name).sort());
      const used = operations(document).flatMap(([template, method]) => at(document, 'paths', template, method)['tags']);
      expect(new Set(used)).toEqual(new Set(grouped));
    });

    test('is served at /openapi.json', async () => {
      const app = await served();
      const answer = await call(app, 'GET', '/openapi.json');
      expect(answer.text === JSON.stringify(document), 'the text of the document as a whole').toBe(true);
      const again = await call(app, 'GET', '/openapi.json', { headers: { 'if-none-match': answer.headers['etag'] ?? '' } });
      expect([again.status, again.text]).toEqual([304, '']);
      const any = await call(app, 'GET', '/openapi.json', { headers: { 'if-none-match': '*' } });
      expect([any.status, any.headers['etag']]).toEqual([304, answer.headers['etag']]);
    });

    // More than five seconds where a model has everything: each of some hundred operations is called, on each way to ask it.
    test('is true: every operation takes what it says and answers as it says', async () => {
      const walk = startWalk(await served(), document, { references: refers, check: check() });
      for (const [template, method] of called) await perform(walk, template, method);
      for (const [template, method] of listed) await succeed(walk, template, method, template);
      expect(
        called.flatMap(([template, method]) => successes(document, template, method)).filter((each) => !walk.answered.has(each)),
      ).toEqual([]);
      process.stdout.write(`openapi: ${called.length + listed.length} of ${operations(document).length} operations of ${name} called\n`);
    });

    test.runIf(shown.includes(name))(
      'has examples that are real: each is sent as it stands there, and answered with what stands there',
      async () => {
        const walk = startWalk(await served(), document, { references: refers, check: check() });
        const { sent, compared, without } = await sendExamples(walk);
        const events = await sendEvents(walk);
        process.stdout.write(
          `openapi: ${sent.size} of ${name} sent as their examples, ${compared.size} compared, ${events.length} events\n`,
        );
        expect([...without].filter((each) => !withoutExample.test(each))).toEqual([]);
        expect(compared.size).toBeGreaterThan(0);
      },
    );

    test('is true of faulty requests too', async () => {
      const walk = startWalk(await served(), document, { references: refers, check: check() });
      for (const [template, method] of called) await misuse(walk, template, method);
    });
  });
}

/** Entries, owners, grants and runs are made with what they are about: `openapi-complete.test.ts` calls these paths too. */
function isMadeByTheService(template: string): boolean {
  return /(audit\/|Audit\/|OwnershipAssignment|InstancePrivilegeAssignment|\/platform\.ai\/|\/Platform\.Core\/)/.test(template);
}

/** What needs a code that comes by mail or from another service is only refused here; `test/identity` does it. */
const withCode = /(confirm-?sign-?up|confirm-?forgot-?password|exchange)$/i;

/** Every kind of answer that is described for what succeeds; no language model is there for agents to succeed with. */
function successes(document: OpenApiDocument, template: string, method: string): readonly string[] {
  const responses = at(document, 'paths', template, method, 'responses');
  if (responses['202'] !== undefined || withCode.test(template)) return [];
  return Object.keys(responses)
    .filter((status) => status.startsWith('2'))
    .flatMap((status) =>
      Object.keys(at(resolved(document, responses[status]), 'content')).map((type) => `${method} ${template} ${status} ${type}`),
    );
}

function operations(document: OpenApiDocument): readonly (readonly [template: string, method: string])[] {
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  return Object.entries(document.paths).flatMap(([template, item]) =>
    methods.filter((method) => method in item).map((method) => [template, method] as const),
  );
}

describe('the tags', () => {
  const { tags, 'x-tagGroups': groups } = openapiOf(compile(modelOf(company)), { ...about, current: false, earlier: 'create' });

  test('are one for each entity and relationship with paths, and one for the events of a module, in groups by module', () => {
    expect(groups).toEqual([
      {
        name: 'Acme.Company',
        tags: [...['Department', 'Employee', 'Desk', 'Mentor', 'Uses'].map((each) => `Acme.Company/${each}`), 'Acme.Company'],
      },
      { name: 'Acme.Other', tags: ['Acme.Other/Room'] },
      { name: 'platform', tags: ['platform'] },
    ]);
  });

  test('say what the documentation of the entity says', () => {
    expect(tags.find((each) => each.name === 'Acme.Company/Department')).toEqual({
      name: 'Acme.Company/Department',
      'x-displayName': 'Department',
      description: 'Where people work.',
    });
  });
});

describe('the paths', () => {
  const cases: readonly [title: string, source: string, expected: readonly string[]][] = [
    [
      'contained instances are shown three levels deep',
      'entity A { id Int @id } entity B { id Int @id } entity C { id Int @id } entity D { id Int @id } entity E { id Int @id } relationship AB contains(A, B) relationship BC contains(B, C) relationship CD contains(C, D) relationship DE contains(D, E)',
      ['/m/A', '/m/A/{id}/AB/B', '/m/A/{id}/AB/B/{B_id}/BC/C', '/m/A/{id}/AB/B/{B_id}/BC/C/{C_id}/CD/D'],
    ],
    [
      'a type that contains itself is shown one level deep',
      'entity A { id Int @id } relationship Sub contains(A @as upper, A @as lower)',
      ['/m/A', '/m/A/{id}/Sub/A'],
    ],
    [
      'a link with itself leads to either role',
      'entity A { id Int @id } relationship Knows between(A @as one, A @as other)',
      ['/m/A', '/m/A/{id}/Knows/A', '/m/A/{id}/Knows/one'],
    ],
    ['an agent that is not public is not there', 'agent A { instruction "x" }', []],
  ];
  for (const [title, source, expected] of cases) {
    test(title, () => {
      const { paths } = openapiOf(compile(modelOf({ 'm.al': `module m\n${source.replaceAll(/ (?=entity|relationship)/g, '\n')}` })), about);
      expect(Object.keys(paths).filter((path) => path.startsWith('/m/A') && !path.endsWith('}'))).toEqual(expected);
    });
  }

  test('a model that is not served on the current surface has none', () => {
    const { paths } = openapiOf(compile(modelOf(blog())), { ...about, current: false });
    expect(Object.keys(paths)).toEqual(['/', '/health', '/ready', '/platform/model', '/metrics', ...operatorPaths]);
  });
});

test('an example shows what is computed, unless a function of the application decides it or it cannot be computed', () => {
  const source = `module m
import "f.js" @as f
entity Added { id Int @id, n Int, more Int @expr(n + 1) }
entity Called { id Int @id, n Int, more Int @expr(f.twice(n)) }
entity Divided { id Int @id, n Int, more Int @expr(n / 0) }
`;
  const { components } = openapiOf(compile(modelOf({ 'm.al': source })), { name: 'm', version: '1' });
  const examples = ['Added', 'Called', 'Divided'].map((name) => at({ components }, 'components', 'schemas', `m.${name}`)['examples']);
  expect(examples).toEqual([[{ id: 1, n: 1, more: 2 }], undefined, undefined]);
});

describe('platform openapi', () => {
  test('prints the document', async () => {
    const { code, out, err } = await command(root, 'openapi', 'examples/blog');
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(openapiOf(compile(modelOf(blog())), { name: 'blog', version: '1.0.0' }))));
  });

  test('exits with 1, and says why, when the model has errors', async () => {
    const { folder, remove } = workspace({ 'src/a.al': 'module a\nentity A { x Strng }' });
    onTestFinished(remove);
    const { code, out, err } = await command(folder, 'openapi');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('src/a.al:2:14  error  type-unknown');
  });
});

describe('what is not exposed is not there', () => {
  const cases: readonly [expose: object, path: string, status: number][] = [
    [{}, '/openapi.json', 200],
    [{}, '/docs', 200],
    [{}, '/docs/', 200],
    [{}, '/metrics', 200],
    [{ openapi: false }, '/openapi.json', 404],
    // The page shows the document.
    [{ openapi: false }, '/docs', 404],
    [{ docs: false }, '/docs', 404],
    [{ docs: false }, '/docs/scalar.js', 404],
    [{ docs: false }, '/openapi.json', 200],
    [{ metrics: false }, '/metrics', 404],
  ];
  for (const [expose, path, status] of cases) {
    test(`${path} is ${status} with ${JSON.stringify(expose)}`, async () => {
      expect((await call(await appOf(blog(), expose), 'GET', path)).status).toBe(status);
    });
  }

  test('metrics that are not served are not described', async () => {
    const { body } = await call(await appOf(blog(), { metrics: false }), 'GET', '/openapi.json');
    expect(Object.keys(at({ body }, 'body', 'paths'))).not.toContain('/metrics');
  });
});

describe('the page', () => {
  test('loads one script, from this service, and lets the browser ask nobody else', async () => {
    const { headers, text } = await call(await appOf(blog()), 'GET', '/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'data:,',
      '/openapi.json',
      expect.stringMatching(/^\/docs\/scalar\.js\?v=/),
    ]);
    expect(text).not.toMatch(/https?:/);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  });

  test('asks readers to log in where authentication is on: its files are open, the description is not', async () => {
    const app = await appOf(blog(), {}, {}, ['auth']);
    const { text } = await call(app, 'GET', '/docs');
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'data:,',
      '/openapi.json',
      expect.stringMatching(/^\/docs\/scalar\.js\?v=/),
      '/docs/login.js',
    ]);
    expect(text).toContain('<form id="login">');
    const statuses: number[] = [];
    for (const path of ['/docs', '/docs/scalar.js', '/docs/login.js', '/openapi.json', '/metrics', '/', '/health', '/ready'])
      statuses.push((await call(app, 'GET', path)).status);
    expect(statuses).toEqual([200, 200, 200, 401, 401, 200, 200, 200]);
    expect((await call(await appOf(blog()), 'GET', '/docs/login.js')).status).toBe(404);
  });

  test.each([
    ['with a password', { email: admin.email, password: admin.password, token: '' }, ''],
    ['with a wrong password', { email: admin.email, password: 'wrong', token: '' }, 'These credentials are not valid.'],
    ['with a token that is none', { email: '', password: '', token: 'nothing' }, 'This token is not valid.'],
  ])('a reader who logs in %s sees the description, or why not', async (_, typed, message) => {
    for (const surface of ['current', 'earlier'] as const) {
      const app = await appOf(blog(), {}, { surfaces: [surface] }, ['auth']);
      const script = (await call(app, 'GET', '/docs/login.js')).text;
      const shown = await submitted(app, script, typed);
      expect(shown.message).toBe(message);
      if (message === '') expect(shown.configuration).toMatchObject({ content: { openapi: '3.1.0' }, telemetry: false });
      else expect(shown.configuration).toBeUndefined();
    }
  });

  test('has a script that may be kept for good, compressed where the caller takes it', async () => {
    const app = await appOf(blog());
    const plain = await call(app, 'GET', '/docs/scalar.js');
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(plain.text).toContain('createApiReference');
    const cases: readonly [accept: string, compressed: boolean][] = [
      ['gzip', true],
      ['br, gzip;q=0.5', true],
      ['*', true],
      ['gzip;q=0', false],
      ['gzip; q=0.0, br', false],
      ['br', false],
    ];
    for (const [accept, compressed] of cases) {
      const { headers } = await call(app, 'GET', '/docs/scalar.js', { headers: { 'accept-encoding': accept } });
      expect([accept, headers['content-encoding'] === 'gzip']).toEqual([accept, compressed]);
    }
  });
});
