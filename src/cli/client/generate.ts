// A plan as the model's own part of a generated client: types, descriptions for requests, and `createClient`.

import { componentName } from '../../http/openapi/components.ts';
import type { OpenApiDocument } from '../../http/openapi/openapi.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { describeRow } from '../../plan/description/description.ts';
import type { LinkWay, Plan, Target } from '../../plan/plan.ts';
import { isToOne, parentWays, type RelatedWay } from '../../plan/query/related.ts';
import { linkMember } from '../../plan/rows/link.ts';
import { filterMembers, partedNames, type RowPlan, sortNames } from './filters.ts';
import {
  holdsInteger,
  integersIn,
  mayBeList,
  membersOf,
  memberText,
  type NameOf,
  propertyName,
  referencesIn,
  typeText,
} from './schema-types.ts';

/** Parts of the runtime that not every client needs. */
export type OptionalPart = 'current' | 'earlier' | 'calls' | 'events' | 'agents' | 'runs' | 'auth';

export interface Generated {
  readonly text: string;
  readonly uses: ReadonlySet<OptionalPart>;
}

export interface ClientParts {
  readonly plan: Plan;
  /** Of the types of the plan under its `names`, in the form of the current surface. */
  readonly document: OpenApiDocument;
  readonly hasAuth: boolean;
  /** Where the client speaks the earlier surface: which answers stand in the envelope. */
  readonly earlier: 'create' | 'all' | undefined;
}

const generic = '<Int extends Integer = number>';

export function generateClient({ plan, document, hasAuth, earlier }: ClientParts): Generated {
  const generator = new Generator(plan, document, earlier === undefined ? '' : '/api');
  const modules = [...plan.names].map(([module, names]) => generator.module(module, [...names]));
  const api = modules.filter(({ types }) => types.length > 0);
  const run = generator.run();
  const own: readonly (readonly [part: OptionalPart, type: string, value: string])[] = [
    ...(hasAuth ? [['auth', 'readonly auth: Auth;', 'auth: authOf(connection),'] as const] : []),
    ...(run === undefined
      ? []
      : [['runs', `readonly runs: Runs<${run.type}<Int>>;`, `runs: runsOf(connection, ${run.path}, ${run.described}),`] as const]),
  ];
  const uses = new Set<OptionalPart>([
    ...modules.flatMap((each) => each.uses),
    ...own.map(([part]) => part),
    earlier === undefined ? 'current' : 'earlier',
  ]);
  const text = [
    ...generator.declarations(),
    block(`export interface Client${generic}`, [
      ...api.map(({ name, types }) => `readonly ${name}: { ${types.join(' ')} };`),
      ...own.map(([, type]) => type),
      '/** The version that an instance had when it was read or written by this client. */',
      'versionOf(instance: object): string | undefined;',
    ]),
    [
      'export function createClient<Big extends boolean = false>(options: ClientOptions<Big>): Client<IntegerOf<Big>> {',
      `  const connection = connect(options, ${formText(plan, earlier)});`,
      '  const known = versions();',
      '  return {',
      ...api.map(({ name, values }) => `    ${name}: { ${values.join(' ')} },`),
      ...own.map(([, , value]) => `    ${value}`),
      '    versionOf: (instance) => known.of(instance),',
      '  };',
      '}',
    ].join('\n'),
  ].join('\n\n');
  return { text: `${text}\n`, uses };
}

function formText({ entities, links, model }: Plan, envelope: 'create' | 'all' | undefined): string {
  if (envelope === undefined) return 'currentForm';
  const events = [...model.events.values()].filter((each) => each.isInternal !== true).map(({ name }) => name);
  return `earlierForm(${JSON.stringify({ envelope, types: [...entities.keys(), ...links.keys(), ...model.records.keys(), ...events] })})`;
}

interface GeneratedModule {
  readonly name: string;
  readonly types: readonly string[];
  readonly values: readonly string[];
  readonly uses: readonly OptionalPart[];
}

class Generator {
  readonly #plan: Plan;
  readonly #document: OpenApiDocument;
  readonly #names = new Map<string, string>();
  /** Components that are to be declared, those that they refer to with them. */
  readonly #used = new Set<string>();
  readonly #rows = new Map<RowPlan, string>();

  /** Before the paths of the model. */
  readonly #prefix: '' | '/api';

  constructor(plan: Plan, document: OpenApiDocument, prefix: '' | '/api') {
    [this.#plan, this.#document, this.#prefix] = [plan, document, prefix];
  }

  module(module: string, names: readonly (readonly [string, Target])[]): GeneratedModule {
    const [types, values, uses]: [string[], string[], OptionalPart[]] = [[], [], []];
    for (const [local, target] of names) {
      const path = JSON.stringify(`${this.#prefix}/${encodeURIComponent(module)}/${encodeURIComponent(local)}`);
      const name = propertyName(local);
      if (target.kind === 'entity' || target.kind === 'link') {
        const row = this.#row(target.plan);
        const isRoot = target.kind === 'link' || !target.plan.contained || target.plan.rootable;
        const isWritten = this.#schemaNamed(target.plan.type, '-create') !== undefined;
        types.push(`readonly ${name}: ${isRoot && isWritten ? 'Collection' : 'Readable'}<${row}Shape<Int>>;`);
        values.push(`${name}: collection(connection, known, ${path}, ${described(row)}),`);
      } else if (target.kind === 'event') {
        types.push(`readonly ${name}: Invoke<${this.#input(target.event.name)}, ${this.#result(module, local)}>;`);
        values.push(
          `${name}: event(connection, { name: ${JSON.stringify(target.event.name)}, path: ${path}, integers: ${this.#resultIntegers(module, local)}, isSingle: ${!this.#mayBeList(module, local)} }),`,
        );
        uses.push('calls', 'events');
      } else if (target.agent.isPublic) {
        types.push(`readonly ${name}: Agent<${this.#result(module, local)}>;`);
        values.push(
          `${name}: agent(connection, { name: ${JSON.stringify(target.agent.name)}, path: ${path}, integers: ${this.#resultIntegers(module, local)} }),`,
        );
        uses.push('calls', 'agents');
      }
    }
    return { name: module.replace(/\W/g, '_'), types, values, uses };
  }

  /** The run of an agent, where there are any. */
  run(): { readonly type: string; readonly path: string; readonly described: string } | undefined {
    const run = this.#plan.entities.get(this.#prefix === '' ? 'platform.ai/Run' : 'Platform.Core/Run');
    if (run === undefined || this.#plan.agents === undefined) return undefined;
    return {
      type: this.#use(componentName(run.type)),
      path: JSON.stringify(`${this.#prefix}/${run.type}`),
      described: described(this.#row(run)),
    };
  }

  declarations(): readonly string[] {
    const rows = [...this.#rows].flatMap(([plan, name]) => [
      this.#shape(plan, name),
      this.#where(plan, name),
      this.#description(plan, name),
    ]);
    const components = new Map<string, string>();
    // A set goes on with what is added to it on the way.
    for (const each of this.#used) components.set(each, this.#component(each));
    return [...components.values(), ...rows];
  }

  #row(plan: RowPlan): string {
    const known = this.#rows.get(plan);
    if (known !== undefined) return known;
    const name = this.#nameOf(componentName(plan.type));
    this.#rows.set(plan, name);
    for (const [, way] of this.#relations(plan)) this.#row(way.target);
    return name;
  }

  #relations(plan: RowPlan): readonly (readonly [string, RelatedWay])[] {
    return plan.kind === 'link' ? [] : [...describeRow(plan).relations, ...parentWays(plan)];
  }

  #shape(plan: RowPlan, name: string): string {
    const always = [plan.identifier.name, ...plan.systemFields, linkMember].map((each) => JSON.stringify(each)).join(' | ');
    const relations = this.#relations(plan).map(
      ([relation, way]) =>
        `readonly ${propertyName(relation)}: { readonly many: ${!isToOne(way)}; readonly target: ${this.#row(way.target)}Shape<Int>; readonly body: ${this.#body(way)} };`,
    );
    return block(`export interface ${name}Shape${generic}`, [
      `readonly instance: ${this.#use(componentName(plan.type))}<Int>;`,
      `readonly create: ${this.#schemaText(plan.type, '-create')};`,
      `readonly update: ${this.#schemaText(plan.type, '-update', 'object')};`,
      `readonly id: ${this.#identifier(plan)};`,
      `readonly always: ${always};`,
      `readonly where: ${name}Where<Int>;`,
      `readonly sort: ${sortNames(plan)
        .map((each) => JSON.stringify(each))
        .join(' | ')};`,
      `readonly relations: ${relations.length === 0 ? 'Record<never, never>' : `{ ${relations.join(' ')} }`};`,
    ]);
  }

  #where(plan: RowPlan, name: string): string {
    const related = this.#relations(plan).map(
      ([relation, way]) => `readonly ${propertyName(relation)}?: ${this.#row(way.target)}Where<Int>;`,
    );
    return block(`export interface ${name}Where${generic}`, [...filterMembers(plan, this.#plan.model), ...related]);
  }

  #description(plan: RowPlan, name: string): string {
    const relations = this.#relations(plan);
    const related = relations.map(
      ([relation, way]) =>
        `${propertyName(relation)}: { name: ${JSON.stringify(`${relation}.${endOf(way)}`)}, target: () => ${described(this.#row(way.target))}.names },`,
    );
    const nested = relations.flatMap(([relation, way]) =>
      way.kind === 'parent'
        ? []
        : [
            `${propertyName(relation)}: [${JSON.stringify(`${encodeURIComponent(relation)}/${encodeURIComponent(endOf(way))}`)}, () => ${described(this.#row(way.target))}],`,
          ],
    );
    return block(`const ${described(name)}: Description =`, [
      `type: ${JSON.stringify(plan.type)},`,
      `integers: ${this.#integersOf([componentName(plan.type)])},`,
      `names: { related: { ${related.join(' ')} }, records: ${JSON.stringify(partedNames(plan))} },`,
      `nested: { ${nested.join(' ')} },`,
    ]);
  }

  #component(component: string): string {
    const schema = this.#schema(component) ?? {};
    const name = this.#nameOf(component);
    const relations = new Set([...this.#rows].flatMap(([plan, row]) => (row === name ? this.#relations(plan).map(([each]) => each) : [])));
    const nameOf: NameOf = (each) => this.#use(each);
    const isPlain =
      schema['type'] === 'object' && schema['anyOf'] === undefined && schema['oneOf'] === undefined && schema['allOf'] === undefined;
    if (!isPlain) return aliasText(name, typeText(schema, nameOf));
    const members = membersOf(schema).filter((each) => !relations.has(each.name));
    return block(
      `export interface ${name}${generic}`,
      members.map((each) => memberText(each, nameOf)),
    );
  }

  /** What is sent to create or link an instance below another one. */
  #body(way: RelatedWay): string {
    if (way.kind === 'parent') return 'never';
    return way.kind === 'contains' ? this.#schemaText(way.target.type, '-create', 'never') : this.#linkBody(way);
  }

  #linkBody({ link, to, target }: LinkWay): string {
    return link.hasAttributes
      ? this.#schemaText(link.type, `-${componentName(to.attribute)}-link`, 'never')
      : this.#schemaText(target.type, '-link', 'never');
  }

  #identifier(plan: RowPlan): string {
    const member = membersOf(this.#schema(componentName(plan.type)) ?? {}).find(({ name }) => name === plan.identifier.name);
    return member === undefined ? 'string' : typeText(member.schema, (each) => this.#use(each));
  }

  #input(event: string): string {
    return this.#schemaText(event, '-event', 'Readonly<Record<string, unknown>>');
  }

  #result(module: string, local: string): string {
    const schema = this.#resultSchema(module, local);
    return schema === undefined ? 'unknown' : typeText(schema, (each) => this.#use(each));
  }

  #resultIntegers(module: string, local: string): string {
    const schema = this.#resultSchema(module, local) ?? {};
    if (holdsInteger(schema)) return '{ isInt: true }';
    const parts = [...new Set(referencesIn(schema))];
    return parts.length === 0 ? 'undefined' : this.#integersOf(parts);
  }

  #mayBeList(module: string, local: string): boolean {
    return mayBeList(this.#resultSchema(module, local) ?? {});
  }

  #resultSchema(module: string, local: string): JsonSchema | undefined {
    const item = this.#document.paths[`/${encodeURIComponent(module)}/${encodeURIComponent(local)}`];
    return memberAt(item, ['post', 'responses', '200', 'content', 'application/json', 'schema']);
  }

  /** Where the integers of an object stand; what it refers to is written where it is asked for, so that types may refer to each other. */
  #integersOf(components: readonly string[], seen: readonly string[] = []): string {
    const [component = '', ...others] = components;
    const row = others.length > 0 ? undefined : [...this.#rows].find(([plan]) => componentName(plan.type) === component);
    if (seen.length > 0 && row !== undefined) return `${described(row[1])}.integers`;
    const found = components.map((each) => integersIn(this.#schema(each) ?? {}));
    const inner = new Map(found.flatMap(({ parts }) => [...parts]));
    const parts = [...inner].flatMap(([name, part]) =>
      seen.includes(part) ? [] : [`${propertyName(name)}: () => (${this.#integersOf([part], [...seen, ...components])}),`],
    );
    return `{ ints: ${JSON.stringify([...new Set(found.flatMap(({ ints }) => ints))])}, parts: { ${parts.join(' ')} } }`;
  }

  #schemaText(type: string, suffix: string, missing = 'never'): string {
    const schema = this.#schemaNamed(type, suffix);
    return schema === undefined ? missing : `${this.#use(schema)}<Int>`;
  }

  #schemaNamed(type: string, suffix: string): string | undefined {
    const name = `${componentName(type)}${suffix}`;
    return this.#schema(name) === undefined ? undefined : name;
  }

  #schema(component: string): JsonSchema | undefined {
    return this.#document.components.schemas[component];
  }

  #use(component: string): string {
    this.#used.add(component);
    return this.#nameOf(component);
  }

  /** `blog.Post-create` is `blog_PostCreate`; two of one name are told apart by a number. */
  #nameOf(component: string): string {
    const known = this.#names.get(component);
    if (known !== undefined) return known;
    const plain = component.replace(/-(\w)/g, (_, first: string) => first.toUpperCase()).replace(/\W/g, '_');
    const taken = new Set(this.#names.values());
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain}${number}`;
    this.#names.set(component, name);
    return name;
  }
}

/** A parameter that nothing uses is a mistake, unless its name begins so. */
function aliasText(name: string, type: string): string {
  return `export type ${name}${genericFor(type)} = ${type};`;
}

function genericFor(text: string): string {
  return /\bInt\b/.test(text.replace(/\/\*\*.*?\*\//g, '')) ? generic : generic.replace('Int', '_Int');
}

function described(row: string): string {
  return `described_${row}`;
}

/** The segment of a path, and of the name of a filter, behind the relationship's. */
function endOf(way: RelatedWay): string {
  return way.kind === 'parent' ? way.target.local : (way.names[0] ?? way.target.local);
}

function memberAt(value: unknown, [first, ...rest]: readonly string[]): JsonSchema | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (first === undefined) return { ...value };
  const found: unknown = Reflect.get(value, first);
  return memberAt(found, rest);
}

function block(head: string, lines: readonly string[]): string {
  const body = lines.map((line) => `  ${line}\n`).join('');
  return `${head.replace(generic, genericFor(body))} {\n${body}}${head.startsWith('const ') ? ';' : ''}`;
}
