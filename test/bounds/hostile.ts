// Random hostile requests against a model that is known: beginnings that are valid, so that they get deep, with ends that are not.

import type { EntityPlan, Plan, Step } from '../../src/plan/plan.ts';
import type { Random } from '../applications/random.ts';

export interface Hostile {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const oddTexts: readonly string[] = [
  '',
  '%',
  '%%%%%',
  '_%'.repeat(8),
  'a'.repeat(300),
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  '𝒳🙂',
  "';--",
  '"',
  '\\',
  'null',
  'true',
  '-0',
  '1e308',
  '1e999999999',
  '9223372036854775808',
  '-9223372036854775809',
  '9'.repeat(400),
  '0.1',
  '2026-02-30',
  '2026-01-01T00:00:00Z',
  'path://blog$Post/post-00001',
  'path://blog$Part/1/blog$Inner/blog$Part/1',
  'path://////',
  '__proto__',
  'constructor',
  'a,b,"c,d',
  '../../etc/passwd',
];

const oddValues: readonly Json[] = [
  ...oddTexts,
  null,
  true,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  [],
  {},
  [[[[[[]]]]]],
  [null, null],
  Array.from({ length: 200 }, (_, at) => at),
  { __proto__x: 1, a: { b: { c: [1, { d: 2 }] } } },
  { __type__: 'blog/Row' },
  'y'.repeat(60_000),
];

const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'between', 'null', 'near', ''] as const;
const signs = ['=', '<>', '<', '<=', '>', '>=', 'in', 'like', 'between', 'and', 'or', 'not', 'xor'] as const;

/** What nobody may touch, as others read it meanwhile. */
const calm = 'blog/Calm';

export class Attacker {
  readonly #random: Random;
  readonly #entities: readonly EntityPlan[];
  readonly #links: readonly string[];
  readonly #events: readonly string[];

  constructor(plan: Plan, random: Random) {
    this.#random = random;
    this.#entities = [...plan.entities.values()].filter(({ type }) => type !== calm);
    this.#links = [...plan.links.values()].map(({ local }) => local);
    this.#events = [...(plan.names.get('blog') ?? [])].flatMap(([name, target]) => (target.kind === 'event' ? [name] : []));
  }

  next(): Hostile {
    const random = this.#random;
    const make = random.weighted<() => Hostile>([
      [30, () => this.#list()],
      [12, () => this.#read()],
      [14, () => this.#write()],
      [6, () => this.#change()],
      [8, () => this.#event()],
      [10, () => this.#query()],
      [8, () => this.#generated()],
      [6, () => this.#link()],
      [6, () => this.#beside()],
    ]);
    return this.#odd(make());
  }

  /** Now and then something about a request itself is odd. */
  #odd(request: Hostile): Hostile {
    const random = this.#random;
    if (!random.chance(0.1)) return request;
    const headers = random.pick<Readonly<Record<string, string>>>([
      { 'content-type': 'application/transit+json' },
      { accept: 'application/transit+json' },
      { 'idempotency-key': random.pick(['a', 'b', 'k'.repeat(255), 'k'.repeat(256)]) },
      { 'if-match': random.pick(['*', '"1"', 'W/"1"', '"', Array(300).fill('"1"').join(',')]) },
      { 'if-none-match': '*' },
      { expect: '100-continue' },
      { 'x-request-id': 'x'.repeat(200) },
      { 'platform-trace': '1' },
      { range: 'bytes=0-1' },
    ]);
    const { body } = request;
    const cut = body !== undefined && random.chance(0.3) ? body.slice(0, random.integer(0, body.length)) : body;
    return { ...request, headers: { ...request.headers, ...headers }, body: cut };
  }

  #entity(): EntityPlan {
    return this.#random.pick(this.#entities);
  }

  #text(probability = 0.2): string {
    return this.#random.chance(probability) ? this.#random.pick(oddTexts) : String(this.#random.integer(0, 60));
  }

  #id(plan: EntityPlan): string {
    const random = this.#random;
    if (random.chance(0.1)) return encodeURIComponent(wellFormed(random.pick(oddTexts)));
    if (random.chance(0.02)) return random.pick(['%', '%zz', '%ff', '%00', '..', '.', '%2f', '%25']);
    if (plan.identifier.numbers === 'integer') return String(random.integer(0, 40));
    return `post-${String(random.integer(1, 2000)).padStart(5, '0')}`;
  }

  /** Where a collection stands, as deep as chance has it. */
  #collection(): { readonly path: string; readonly plan: EntityPlan } {
    const random = this.#random;
    let plan = this.#entity();
    let path = `/blog/${plan.local}`;
    while (random.chance(0.4)) {
      const steps = [...plan.steps].flatMap(([name, all]) => all.map((step) => [name, step] as const));
      if (steps.length === 0) break;
      const [name, step]: readonly [string, Step] = random.pick(steps);
      path += `/${this.#id(plan)}/${name}/${random.pick(step.names)}`;
      plan = step.target;
    }
    return { path: random.chance(0.25) ? `/api${path}` : path, plan };
  }

  #attribute(plan: EntityPlan): string {
    const names = [...plan.attribute.keys(), '__path__', 'nothing'];
    return this.#random.pick(names);
  }

  #parameters(plan: EntityPlan): string {
    const random = this.#random;
    const parts: string[] = [];
    while (random.chance(0.55) && parts.length < 25) {
      const value = encodeURIComponent(wellFormed(this.#text(0.4)));
      const several = Array.from({ length: random.integer(1, 30) }, () => value).join(',');
      const attribute = () => `${random.chance(0.3) ? '-' : ''}${this.#attribute(plan)}`;
      const attributes = () => Array.from({ length: random.integer(1, 4) }, attribute).join(',');
      parts.push(
        random.weighted<() => string>([
          [8, () => `${this.#attribute(plan)}[${random.pick(operators)}]=${random.chance(0.3) ? several : value}`],
          [4, () => `@sort=${attributes()}`],
          [3, () => `@select=${attributes()}`],
          [5, () => `@include=${this.#include(plan)}`],
          [4, () => `@limit=${random.pick(['0', '1', '20', '1000', '-1', '1e3', '9'.repeat(30)])}`],
          [2, () => `@offset=${random.pick(['0', '5', '100000', '999999999999999', 'x'])}`],
          [2, () => `@count=${random.pick(['true', 'false', 'maybe'])}`],
          [2, () => `@after=${this.#cursor(plan)}`],
          [1, () => '@tree=true'],
          [1, () => random.pick(['&&&', '=', '@', '%', '@sort', 'a=b=c', '[]=1', `${'z'.repeat(3000)}=1`])],
        ])(),
      );
    }
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  #include(plan: EntityPlan): string {
    const random = this.#random;
    const paths = Array.from({ length: random.integer(1, 3) }, () => {
      const names: string[] = [];
      let at = plan;
      while (names.length < 4 && (names.length === 0 || random.chance(0.5))) {
        const steps = [...at.steps].flatMap(([name, all]) => all.map((step) => [name, step] as const));
        if (steps.length === 0) return random.pick(['Wrote', 'Inner', 'nothing', '']);
        const [name, step]: readonly [string, Step] = random.pick(steps);
        names.push(name);
        at = step.target;
      }
      return names.join('.');
    });
    return paths.join(',');
  }

  #cursor(plan: EntityPlan): string {
    const random = this.#random;
    const order = random.pick([plan.key, this.#attribute(plan), `-${plan.key}`]);
    const values = [order, ...Array.from({ length: random.integer(0, 3) }, () => random.pick(oddValues))];
    return random.chance(0.2) ? 'bm90IGEgY3Vyc29y' : Buffer.from(JSON.stringify(values)).toString('base64url').slice(0, 4000);
  }

  #list(): Hostile {
    const { path, plan } = this.#collection();
    return asked('GET', `${path}${this.#parameters(plan)}`);
  }

  #read(): Hostile {
    const random = this.#random;
    const { path, plan } = this.#collection();
    const query = random.pick(['', '', '?@tree=true', `?@include=${this.#include(plan)}`, `?@select=${this.#attribute(plan)}`, '?x=1']);
    const target = path.startsWith('/api') && random.chance(0.3) ? `${path}/${this.#id(plan)}/__tree` : `${path}/${this.#id(plan)}${query}`;
    return asked(random.pick(['GET', 'GET', 'HEAD', 'OPTIONS']), target);
  }

  #value(kind: EntityPlan['identifier']['numbers']): Json {
    const random = this.#random;
    if (random.chance(0.08)) return random.pick(oddValues);
    if (kind === 'integer') return random.integer(0, 100_000);
    if (kind === 'decimal') return random.pick(['1.50', 2, '0.000000000000000000001', 'x']);
    if (kind === 'json') return random.pick(oddValues);
    return `text ${random.integer(0, 1_000_000)}`;
  }

  #instance(plan: EntityPlan, depth = 0): Json {
    const random = this.#random;
    const fields: Record<string, Json> = {};
    for (const { name, numbers } of plan.attributes) if (!random.chance(0.1)) fields[name] = this.#value(numbers);
    delete fields['total'];
    if (random.chance(0.05)) fields[random.pick(oddTexts)] = this.#value(undefined);
    for (const [name, steps] of depth < 3 ? plan.steps : []) {
      const [step] = steps;
      if (step === undefined || !random.chance(0.25)) continue;
      fields[name] = Array.from({ length: random.integer(0, 4) }, () => this.#instance(step.target, depth + 1));
    }
    return fields;
  }

  #body(path: string, plan: EntityPlan): string {
    const value = this.#random.chance(0.04) ? this.#random.pick(oddValues) : this.#instance(plan);
    return JSON.stringify(path.startsWith('/api') ? { [plan.type]: value } : value);
  }

  #write(): Hostile {
    const { path, plan } = this.#collection();
    return asked('POST', path, this.#body(path, plan));
  }

  #change(): Hostile {
    const { path, plan } = this.#collection();
    const method = this.#random.pick(['PUT', 'PUT', 'PATCH', 'DELETE']);
    return asked(method, `${path}/${this.#id(plan)}`, method === 'DELETE' ? undefined : this.#body(path, plan));
  }

  #link(): Hostile {
    const random = this.#random;
    const name = random.pick(this.#links);
    const ends: Record<string, Json> = {};
    for (const end of ['Left', 'Right', 'Author', 'Paper', 'Volume', 'Post', 'Tag'])
      if (random.chance(0.4)) ends[end] = random.integer(0, 40);
    if (random.chance(0.5)) return asked('POST', `/blog/${name}`, JSON.stringify(ends));
    const end = random.pick(Object.keys(ends).concat('Left'));
    return asked('GET', `/blog/${name}?${end}[${random.pick(operators)}]=${encodeURIComponent(wellFormed(this.#text(0.4)))}&@limit=50`);
  }

  #event(): Hostile {
    const random = this.#random;
    const name = random.pick(this.#events.filter((each) => each !== 'allVolumes'));
    const list = Array.from({ length: random.integer(0, 30) }, () => random.integer(0, 50));
    const body: Record<string, Json> = {
      list,
      ids: list.map((each) => each + 1_000_000),
      n: 1,
      text: 'x',
      factor: '1.5',
      pattern: this.#text(0.5),
    };
    const kept = random.chance(0.7) ? only(body, fieldsOf(name)) : body;
    if (random.chance(0.15)) kept[random.pick(['list', 'n', 'pattern', 'posts'])] = random.pick(oddValues);
    return random.chance(0.2)
      ? asked('POST', '/dynamic', JSON.stringify({ [`blog/${name}`]: kept }))
      : asked('POST', `/blog/${name}`, JSON.stringify(kept));
  }

  #condition(plan: EntityPlan, depth: number): Json {
    const random = this.#random;
    const sign = random.pick(signs);
    if (sign === 'and' || sign === 'or' || sign === 'not')
      return [sign, ...Array.from({ length: depth > 6 ? 0 : random.integer(0, 3) }, () => this.#condition(plan, depth + 1))];
    const values = Array.from({ length: random.integer(1, 3) }, () =>
      random.chance(0.6) ? random.integer(0, 50) : random.pick(oddValues),
    );
    return [sign, this.#attribute(plan), ...values];
  }

  #query(): Hostile {
    const random = this.#random;
    const plan = this.#entity();
    const query: Record<string, Json> = { from: plan.type };
    if (random.chance(0.8)) query['where'] = this.#condition(plan, 0);
    if (random.chance(0.3))
      query['order-by'] = random.pick<Json>([[this.#attribute(plan)], [[this.#attribute(plan), 'desc']], 'x', [[[]]]]);
    if (random.chance(0.5)) query['limit'] = random.pick<Json>([1, 20, 0, -1, 1e300, '5']);
    if (random.chance(0.1)) query[random.pick(['offset', 'from', 'join', 'group-by'])] = random.pick(oddValues);
    return asked('POST', '/q', JSON.stringify({ Query: query }));
  }

  /** The events that the earlier surface has for each entity. */
  #generated(): Hostile {
    const random = this.#random;
    const plan = this.#entity();
    const name = `${random.pick(['Create', 'Update', 'Delete', 'Lookup', 'LookupAll'])}_${plan.local}`;
    const fields: Record<string, Json> = {};
    if (name.startsWith('Create')) fields['Instance'] = { [plan.type]: this.#instance(plan, 2) };
    else if (random.chance(0.8)) fields[plan.identifier.name] = random.chance(0.8) ? random.integer(0, 40) : random.pick(oddValues);
    if (name.startsWith('Update')) fields['Data'] = this.#instance(plan, 3);
    if (random.chance(0.2)) fields['__path__'] = random.pick(['/Part/1/Inner', 'path://blog$Post/post-00001/%', '%', '/', 'path://']);
    return asked('POST', `/api/blog/${name}`, JSON.stringify({ [`blog/${name}`]: fields }));
  }

  #beside(): Hostile {
    const random = this.#random;
    const paths = [
      '/',
      '/health',
      '/metrics',
      '/openapi.json',
      '/docs',
      '/docs/scalar.js',
      '/meta',
      '/meta/blog',
      '/meta/none',
      '/api',
      '/q',
      '/blog',
    ];
    const path = random.chance(0.2) ? `/${'a/'.repeat(random.integer(1, 200))}` : random.pick(paths);
    return asked(random.pick(['GET', 'GET', 'POST', 'DELETE', 'PROPFIND']), path, random.chance(0.2) ? '{}' : undefined);
  }
}

function asked(method: string, target: string, body?: string): Hostile {
  return { method, target, headers: body === undefined ? {} : { 'content-type': 'application/json' }, body };
}

/** A lone half of a character has no encoding. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function fieldsOf(event: string): readonly string[] {
  if (event.startsWith('fill')) return ['ids'];
  const own: Readonly<Record<string, readonly string[]>> = {
    find: ['pattern'],
    again: ['n'],
    doubled: ['text', 'list'],
    product: ['factor', 'list'],
  };
  return own[event] ?? (['rounds', 'made'].includes(event) ? ['list'] : []);
}

function only(fields: Readonly<Record<string, Json>>, names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** As it goes over the wire. */
export function written({ method, target, headers, body }: Hostile): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}${length}\r\n${body ?? ''}`;
}
