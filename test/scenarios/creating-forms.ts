// The forms that create instances, in both syntaxes, each at the levels where it exists, with what it creates.

import type { Project } from '../support/app.ts';

/** The identifiers from the root down to an instance. */
export type Level = readonly (string | number)[];

export interface CreatingForm {
  readonly title: string;
  readonly post: readonly [target: string, body: object];
  readonly creates: readonly Level[];
}

export interface SyntaxOfForms {
  readonly surface: 'current' | 'earlier';
  readonly module: string;
  /** Where its types are read. */
  readonly base: string;
  readonly identifier: string;
  readonly source: Project;
  /** The same as files of a project. */
  readonly files: Readonly<Record<string, string>>;
  /** What is there before the first form: one instance of each level. */
  readonly stored: readonly Level[];
  readonly forms: readonly CreatingForm[];
}

/** Types that contain each other, and by which relationship each is contained. */
export const levels = [
  { type: 'Area', relationship: '' },
  { type: 'Block', relationship: 'AreaBlock' },
  { type: 'Cell', relationship: 'BlockCell' },
  { type: 'Desk', relationship: 'CellDesk' },
] as const;

/** What is found: characters that are encoded, a negative number, a letter outside of ASCII. */
const found: Level = ['a b', -2, 'c/ü', 7];
const upTo = (level: number): Level => found.slice(0, level);

/** One that nothing else has, of the type of its level. */
const fresh = (level: number, no: number): string | number => (level % 2 === 0 ? `n ${no}%` : no);
const typeAt = (level: number): string => levels[level]?.type ?? '';
const relationshipAt = (level: number): string => levels[level]?.relationship ?? '';
const allLevels = [0, 1, 2, 3];

/** A body, and what it creates, at one level. */
interface Made {
  readonly title: string;
  readonly body: string;
  readonly data?: object;
  readonly given?: string | number;
  readonly creates: readonly Level[];
  /** Declarations besides the workflow. */
  readonly also?: string;
  /** Set off by a POST of this instead of the event. */
  readonly post?: readonly [target: string, body: object];
}

let count = 10;
const next = (): number => {
  count += 1;
  return count;
};

/** The parents from one level to another are new, and so is what stands at the end. */
function freshChain(level: number, no: number): Level {
  return allLevels.slice(0, level + 1).map((each) => fresh(each, no));
}

function prefixes(chain: Level): readonly Level[] {
  return chain.map((_, index) => chain.slice(0, index + 1));
}

// The current syntax.

const text = (id: string | number): string => JSON.stringify(id);
const createCurrent = (level: number, id: string | number): string => `{${typeAt(level)} {id ${text(id)}}}`;

/** A pattern that finds the parents one in the other, and holds `inner` at the level. */
function under(level: number, inner: string, from = 0): string {
  if (from === level) return inner;
  const rest = under(level, inner, from + 1);
  return `{${typeAt(from)} {id? ${text(found[from] ?? '')}}, ${relationshipAt(from + 1)} ${from + 1 === level ? `[${rest}]` : rest}}`;
}

function nestedCurrent(chain: Level, level = 0, end = ''): string {
  const own = `${typeAt(level)} {id ${text(chain[level] ?? '')}}`;
  const below = level + 1 < chain.length ? `, ${relationshipAt(level + 1)} [${nestedCurrent(chain, level + 1)}]` : '';
  return `{${own}${below}${end}}`;
}

function currentForms(level: number): readonly Made[] {
  const at = (title: string, make: (id: string | number, no: number) => Omit<Made, 'title' | 'creates'>): Made => {
    const no = next();
    const id = fresh(level, no);
    return { title, creates: [[...upTo(level), id]], ...make(id, no) };
  };
  const chain = freshChain(level, next());
  const upserted = [...upTo(level), fresh(level, next())];
  const always: readonly Made[] = [
    at('what is found', (id) => ({ body: under(level, createCurrent(level, id)) })),
    { title: 'nested creates', body: nestedCurrent(chain), creates: prefixes(chain) },
    { title: '@upsert of a whole tree', body: nestedCurrent(upserted, 0, ', @upsert'), creates: [upserted] },
    at('@from', (id) => ({ body: under(level, `{${typeAt(level)} {}, @from EVENT.data}`), data: { id } })),
    at('@upsert', (id) => ({ body: under(level, `{${typeAt(level)} {id ${text(id)}}, @upsert}`) })),
    at('a loop', (id) => ({ body: `for each in {Mark {no? 1}} { ${under(level, createCurrent(level, id))} }` })),
    at('a condition', (id) => ({ body: `if (1 < 2) { ${under(level, createCurrent(level, id))} }` })),
    at('another event', (id, no) => ({
      body: `{inner${no} {}}`,
      also: `workflow inner${no} { ${under(level, createCurrent(level, id))} }`,
    })),
    at('a trigger', (id, no) => ({
      body: '',
      also: `entity Signal${no} { no Int @id }\nworkflow @after create:Signal${no} { ${under(level, createCurrent(level, id))} }`,
      post: [`/m/Signal${no}`, { no: 1 }],
    })),
    at('REST', (id) => ({ body: '', post: [restPath('/m', level), { id }] })),
  ];
  const tree = [...upTo(level), ...freshChain(3, next()).slice(level)];
  const body = tree.slice(level).reduceRight<object>((inner, id, index) => {
    const deeper = level + index + 1;
    return deeper > 3 ? { id } : { id, [relationshipAt(deeper)]: [inner] };
  }, {});
  const rest: readonly Made[] = [
    { title: 'a tree by REST', body: '', post: [restPath('/m', level), body], creates: prefixes(tree).slice(level) },
  ];
  if (level < 2) return [...always, ...rest];
  const parent = `${typeAt(level - 1)} {id? ${text(found[level - 1] ?? '')}}`;
  const onTop = at('a parent that is found by its own type', (id) => ({
    body: `{${parent}, ${relationshipAt(level)} [${createCurrent(level, id)}]}`,
  }));
  // Other parents may have got children of the same identifier meanwhile: the first of all forms.
  return [onTop, ...always, ...rest];
}

/** Where children of the level are posted. */
function restPath(base: string, level: number): string {
  const steps = upTo(level).map((id, each) => {
    const own = `${typeAt(each)}/${encodeURIComponent(String(id))}`;
    return each === 0 ? own : `${relationshipAt(each)}/${own}`;
  });
  return [base, ...steps, ...(level === 0 ? [] : [relationshipAt(level)]), typeAt(level)].join('/');
}

function titled(level: number, { title }: Made): string {
  return `${title}, ${level === 0 ? 'at the root' : `${level} below`}`;
}

const currentMade = allLevels.flatMap((level) => currentForms(level).map((made) => [level, made] as const));

const currentSource = [
  'module m',
  ...levels.map(({ type }, level) => `entity ${type} { id ${level % 2 === 0 ? 'String' : 'Int'} @id }`),
  ...levels.slice(1).map(({ type, relationship }, level) => `relationship ${relationship} contains (${typeAt(level)}, ${type})`),
  'entity Mark { no Int @id }',
  '{Mark {no 1}, @upsert}',
  nestedCurrent(found, 0, ', @upsert'),
  ...currentMade.map(([, { also = '' }]) => also),
  ...currentMade.map(([, { body }], no) => (body === '' ? '' : `workflow make${no} { ${body.replace('EVENT', `make${no}`)} }`)),
].join('\n');

export const current: SyntaxOfForms = {
  surface: 'current',
  module: 'm',
  base: '/m',
  identifier: 'id',
  source: currentSource,
  files: { 'src/core.al': currentSource },
  stored: prefixes(found),
  forms: currentMade.map(([level, made], no) => ({
    title: titled(level, made),
    post: made.post ?? [`/m/make${no}`, { data: made.data ?? {} }],
    creates: made.creates,
  })),
};

// The earlier syntax.

const createEarlier = (level: number, id: string | number, more = ''): string => `{:${typeAt(level)} {:Id ${text(id)}}${more}}`;
const findEarlier = (level: number): string => `{:${typeAt(level)} {:Id? ${text(found[level] ?? '')}}}`;
const pathHere = (level: number): string =>
  `path://${upTo(level)
    .map((id, each) => `${each === 0 ? '' : `M$${relationshipAt(each)}/`}M$${typeAt(each)}/${encodeURIComponent(String(id))}`)
    .join('/')}`;

function nestedEarlier(chain: Level, level = 0, end = ''): string {
  const below = level + 1 < chain.length ? ` :with [[:${relationshipAt(level + 1)} [${nestedEarlier(chain, level + 1)}]]]` : '';
  return createEarlier(level, chain[level] ?? '', `${below}${end}`);
}

function withinEarlier(level: number, inner: string, from = 0): string {
  if (from === level) return inner;
  const rest = withinEarlier(level, inner, from + 1);
  const nested = from + 1 === level ? `[${rest}]` : rest;
  return `{:${typeAt(from)} {:Id? ${text(found[from] ?? '')}} :with [[:${relationshipAt(from + 1)} ${nested}]]}`;
}

function earlierForms(level: number): readonly Made[] {
  const at = (title: string, make: (id: string | number, no: number) => Omit<Made, 'title' | 'creates'>): Made => {
    const no = next();
    const id = fresh(level, no);
    return { title, creates: [[...upTo(level), id]], ...make(id, no) };
  };
  const to = (other: string): string => (level === 0 ? '' : ` :-> [[:${relationshipAt(level)} ${other}]]`);
  const parent = level === 0 ? '' : findEarlier(level - 1);
  const alias = level === 0 ? '' : `${parent.slice(0, -1)} :as [:P]} `;
  const chain = freshChain(level, next());
  const upserted = [...upTo(level), fresh(level, next())];
  const byPattern: readonly Made[] = [
    at(':-> a pattern', (id) => ({ body: createEarlier(level, id, to(parent)) })),
    at(':-> an alias', (id) => ({ body: `${alias}${createEarlier(level, id, to(':P'))}` })),
    at(':-> and :upsert', (id) => ({ body: `${alias}${createEarlier(level, id, `${to(':P')} :upsert true`)}` })),
    at(':-> and :from', (id) => ({ body: `${alias}{:${typeAt(level)} {} :from :EVENT.Data${to(':P')}}`, data: { Id: id } })),
    at(':-> in a :for-each', (id) => ({ body: `${alias}[:for-each {:Mark? {}} ${createEarlier(level, id, to(':P'))}]` })),
    at(':-> in a :match', (id) => ({ body: `${alias}[:match [:< 1 2] ${createEarlier(level, id, to(':P'))}]` })),
    at(':-> an identifier', (id) => ({ body: createEarlier(level, id, to(':EVENT.Data')), given: found[level - 1] ?? 0 })),
  ];
  const always: readonly Made[] = [
    at(':-> a path', (id) => ({ body: createEarlier(level, id, to(':EVENT.Path :_')) })),
    { title: ':with nested creates', body: nestedEarlier(chain), creates: prefixes(chain) },
    { title: ':upsert of a whole tree', body: nestedEarlier(upserted, 0, ' :upsert true'), creates: [upserted] },
    at(':with under what is found', (id) => ({ body: withinEarlier(level, createEarlier(level, id)) })),
    at('REST', (id) => ({ body: '', post: [restPath('/api/M', level), { [`M/${typeAt(level)}`]: { Id: id } }] })),
  ];
  return [...byPattern, ...always];
}

const earlierMade = allLevels.flatMap((level) => earlierForms(level).map((made) => [level, made] as const));

const earlierSource = [
  '(component :M)',
  ...levels.map(
    ({ type }, level) => `(entity :${type} {:Id {:type ${level % 2 === 0 ? ':String' : ':Int'} ${level === 0 ? ':guid' : ':id'} true}})`,
  ),
  ...levels
    .slice(1)
    .map(({ type, relationship }, level) => `(relationship :${relationship} {:meta {:contains [:${typeAt(level)} :${type}]}})`),
  '(entity :Mark {:No {:type :Int :guid true}})',
  '{:Mark {:No 1} :upsert true}',
  nestedEarlier(found, 0, ' :upsert true'),
  ...earlierMade.map(([, { body }], no) => (body === '' ? '' : `(dataflow :make${no} ${body.replaceAll('EVENT', `make${no}`)})`)),
].join('\n');

export const earlier: SyntaxOfForms = {
  surface: 'earlier',
  module: 'M',
  base: '/api/M',
  identifier: 'Id',
  source: { 'm.platform': earlierSource },
  files: {
    'model.platform': '{:name :M :version "1.0.0" :platform-version "current" :components [:M]}',
    'm.platform': earlierSource,
  },
  stored: prefixes(found),
  forms: earlierMade.map(([level, made], no) => ({
    title: titled(level, made),
    post: made.post ?? [`/api/M/make${no}`, { [`M/make${no}`]: { Data: made.given ?? made.data ?? {}, Path: pathHere(level) } }],
    creates: made.creates,
  })),
};
