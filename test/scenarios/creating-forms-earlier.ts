// The forms of the earlier syntax that create instances.

import {
  allLevels,
  formOf,
  found,
  fresh,
  freshChain,
  type Level,
  levels,
  type Made,
  madeAt,
  next,
  prefixes,
  relationshipAt,
  restPath,
  type SyntaxOfForms,
  text,
  typeAt,
  upTo,
} from './creating-forms.ts';

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

/** A tree as the body of a request: from this level on, all below it. */
function treeOf(chain: Level, level: number): object {
  const own = { [`M/${typeAt(level)}`]: { Id: chain[level] } };
  return level + 1 < chain.length ? { ...own, [`M/${relationshipAt(level + 1)}`]: [treeOf(chain, level + 1)] } : own;
}

/** The same, with what is below in attributes that extend the types. */
function extendedTree(chain: Level, level: number): object {
  const more = level + 1 < chain.length ? { [`${typeAt(level + 1)}s`]: [extendedTree(chain, level + 1)] } : {};
  return { [`M/${typeAt(level)}`]: { Id: chain[level], ...more } };
}

function extendedEarlier(chain: Level, level = 0): string {
  return `{:${typeAt(level)} ${extendedMap(chain, level)}}`;
}

function extendedMap(chain: Level, level: number): string {
  const below = level + 1 < chain.length ? ` :${typeAt(level + 1)}s [${extendedMap(chain, level + 1)}]` : '';
  return `{:Id ${text(chain[level] ?? '')}${below}}`;
}

/** From its end, each with its parent behind `:->`. */
function chainedEarlier(chain: Level, level: number): string {
  const parent = level === 0 ? '' : ` :-> [[:${relationshipAt(level)} ${chainedEarlier(chain, level - 1)}]]`;
  return createEarlier(level, chain[level] ?? '', parent);
}

type At = (title: string, make: Parameters<typeof madeAt>[2]) => Made;
type Create = (id: string | number) => string;

function earlierForms(level: number): readonly Made[] {
  const at: At = (title, make) => madeAt(level, title, make);
  const create: Create = (id) => withinEarlier(level, createEarlier(level, id));
  // Other parents may have got children of the same identifier meanwhile: what names a parent by it comes first.
  return [...along(level, at), ...patterns(level, at, create), ...statements(at, create), ...triggers(at, create), ...requests(level, at)];
}

function along(level: number, at: At): readonly Made[] {
  const to = (other: string): string => (level === 0 ? '' : ` :-> [[:${relationshipAt(level)} ${other}]]`);
  const parent = level === 0 ? '' : findEarlier(level - 1);
  const alias = level === 0 ? '' : `${parent.slice(0, -1)} :as [:P]} `;
  const chain = freshChain(level, next());
  return [
    at(':-> a pattern', (id) => ({ body: createEarlier(level, id, to(parent)) })),
    at(':-> an alias', (id) => ({ body: `${alias}${createEarlier(level, id, to(':P'))}` })),
    at(':-> and :upsert', (id) => ({ body: `${alias}${createEarlier(level, id, `${to(':P')} :upsert true`)}` })),
    at(':-> and :from', (id) => ({ body: `${alias}{:${typeAt(level)} {} :from :EVENT.Data${to(':P')}}`, data: { Id: id } })),
    at(':-> in a :for-each', (id) => ({ body: `${alias}[:for-each {:Mark {:No? 1}} ${createEarlier(level, id, to(':P'))}]` })),
    at(':-> in a :match', (id) => ({ body: `${alias}[:match [:< 1 2] ${createEarlier(level, id, to(':P'))}]` })),
    at(':-> an identifier', (id) => ({ body: createEarlier(level, id, to(':EVENT.Data')), given: found[level - 1] ?? 0 })),
    at(':-> a path', (id) => ({ body: createEarlier(level, id, to(':EVENT.Path :_')) })),
    { title: ':-> parents that are made', body: chainedEarlier(chain, level), creates: prefixes(chain) },
  ];
}

function patterns(level: number, at: At, create: Create): readonly Made[] {
  const [chain = [], extended = [], linked = [], both = []] = [next(), next(), next(), next()].map((no) => freshChain(level, no));
  const upserted = [...upTo(level), fresh(level, next())];
  const below = [...upTo(level), ...freshChain(3, next()).slice(level)];
  const also = [...upTo(level), ...freshChain(3, next()).slice(level)];
  const own = `:${typeAt(level)} {} :from :EVENT.Data`;
  return [
    { title: ':with nested creates', body: nestedEarlier(chain), creates: prefixes(chain) },
    { title: ':upsert of a whole tree', body: nestedEarlier(upserted, 0, ' :upsert true'), creates: [upserted] },
    { title: ':with under what is found', body: withinEarlier(level, nestedEarlier(below, level)), creates: prefixes(below).slice(level) },
    { title: 'attributes with :extend', body: extendedEarlier(extended), creates: prefixes(extended) },
    {
      title: 'attributes with :extend under what is found',
      body: withinEarlier(level, extendedEarlier(also, level)),
      creates: prefixes(also).slice(level),
    },
    { title: 'behind a link', body: `{:Mark {:No? 1} :with [[:Marks [${nestedEarlier(linked)}]]]}`, creates: prefixes(linked) },
    { title: ':-> of a link', body: `{:Mark {:No ${next()}} :-> [[:Marks ${nestedEarlier(both)}]]}`, creates: prefixes(both) },
    at('a create under what is found', (id) => ({ body: create(id) })),
    at(':from', (id) => ({ body: withinEarlier(level, `{${own}}`), data: { Id: id } })),
    at(':upsert', (id) => ({ body: withinEarlier(level, createEarlier(level, id, ' :upsert true')) })),
    at(':from and :upsert', (id) => ({ body: withinEarlier(level, `{${own} :upsert true}`), data: { Id: id } })),
    at('an attribute of the event', (id) => ({ body: withinEarlier(level, `{:${typeAt(level)} {:Id :EVENT.Data}}`), given: id })),
    at('a named result', (id) => ({ body: `${create(id).slice(0, -1)} :as :Made} :Made` })),
    ...(level > 0 ? [] : [at(':with-types', (id) => ({ body: `{:KeepGround {:Id ${text(id)}} :with-types {:Ground :Area}}` }))]),
  ];
}

function statements(at: At, create: Create): readonly Made[] {
  return [
    at(':for-each', (id) => ({ body: `[:for-each {:Mark {:No? 1}} ${create(id)}]` })),
    at(':match', (id) => ({ body: `[:match [:> 1 2] 1 ${create(id)}]` })),
    at(':match of a value', (id) => ({ body: `[:match 1 2 3 1 ${create(id)}]` })),
    at('[:do', (id) => ({ body: `[:do ${create(id)} 1]` })),
    at('[:return', (id) => ({ body: `[:return ${create(id)}]` })),
    at(':try', (id) => ({ body: `[:try ${create(id)} :error 1]` })),
    at(':try :ok', (id) => ({ body: `[:try {:Mark {:No? 1}} :ok ${create(id)}]` })),
    at(':try :not-found', (id) => ({ body: `[:try {:Mark {:No? -1}} :not-found ${create(id)}]` })),
    at(':try :empty', (id) => ({ body: `[:try {:Mark {:No? -1}} :empty ${create(id)}]` })),
    at(':try :error', (id) => ({ body: `[:try {:Mark {:No 1}} :error ${create(id)}]` })),
    at(':await', (id) => ({ body: `[:await ${create(id)} :ok 1]`, later: true })),
    at(':ok of an :await', (id) => ({ body: `[:await {:Mark {:No? 1}} :ok ${create(id)}]`, later: true })),
    at('another event', (id, no) => ({ body: `{:Inner${no} {}}`, also: `(dataflow :Inner${no} ${create(id)})` })),
    at('a statement at start', (id) => ({ body: '', also: create(id), post: undefined })),
  ];
}

function triggers(at: At, create: Create): readonly Made[] {
  const signal = (no: number, meta = ''): string =>
    `(entity :Signal${no} {:No {:type :Int :guid true} :Text {:type :String :optional true}${meta}})`;
  const made = (no: number): string => `{:Signal${no} {:No 1}}`;
  const afterwards = { create: '', update: ' {:SIGNAL {:No? 1 :Text "x"}}', delete: ' [:delete :SIGNAL {:No 1}]' } as const;
  const rows = (['before', 'after'] as const).flatMap((when) =>
    (['create', 'update', 'delete'] as const).map((what) =>
      at(`[:${when} :${what}`, (id, no) => ({
        body: `${made(no)}${afterwards[what].replace('SIGNAL', `Signal${no}`)}`,
        also: `${signal(no)} (dataflow [:${when} :${what} :Signal${no}] ${create(id)})`,
      })),
    ),
  );
  const ofMeta = (when: string, event: (no: number) => string, later: boolean): Made =>
    at(`:meta ${when}${later ? ' :async' : ''}`, (id, no) => ({
      body: made(no),
      also: `${signal(no, ` :meta {${when} {:create ${event(no)}}}`)} (dataflow :Noted${no} ${create(id)})`,
      later,
    }));
  return [
    ...rows,
    ofMeta(':before', (no) => `:Noted${no}`, false),
    ofMeta(':after', (no) => `:Noted${no}`, false),
    ofMeta(':after', (no) => `[:Noted${no} :async]`, true),
    at('a conditional event', (id, no) => ({
      body: made(no),
      also: `${signal(no)} (dataflow [:Noted${no} :when [:> :Signal${no}.No 0]] ${create(id)})`,
    })),
    at('a rule', (id, no) => ({
      body: made(no),
      also: `${signal(no)} (rule :R${no} {:Signal${no} {:No [:>= 1]}} :then ${create(id)})`,
      later: true,
    })),
  ];
}

function requests(level: number, at: At): readonly Made[] {
  const tree = [...upTo(level), ...freshChain(3, next()).slice(level)];
  const extended = [...upTo(level), ...freshChain(3, next()).slice(level)];
  const linked = freshChain(level, next());
  const place = restPath('/api/M', level);
  const below = prefixes(tree).slice(level);
  const parent = level === 0 ? {} : { __path__: `${pathHere(level)}/M$${relationshipAt(level)}` };
  const event = (id: string | number) => ({ [`M/Create_${typeAt(level)}`]: { Instance: { Id: id }, ...parent } });
  return [
    at('REST', (id) => ({ body: '', post: [place, { [`M/${typeAt(level)}`]: { Id: id } }] })),
    { title: 'a tree by REST', body: '', post: [place, treeOf(tree, level)], creates: below },
    {
      title: 'a tree of :extend by REST',
      body: '',
      post: [place, extendedTree(extended, level)],
      creates: prefixes(extended).slice(level),
    },
    { title: 'behind a link by REST', body: '', post: ['/api/M/Mark/1/Marks/Area', treeOf(linked, 0)], creates: prefixes(linked) },
    at('Create_E', (id) => ({ body: '', post: [`/api/M/Create_${typeAt(level)}`, event(id)] })),
    at('Create_E by /dynamic', (id) => ({ body: '', post: ['/dynamic', event(id)] })),
  ];
}

const earlierMade = allLevels.flatMap((level) => earlierForms(level).map((made) => [level, made] as const));

const earlierSource = [
  '(component :M)',
  '(entity :Area {:meta {:inherits :Ground}})',
  ...levels.slice(1).map(({ type }, level) => `(entity :${type} {:Id {:type ${level % 2 === 0 ? ':Int' : ':String'} :id true}})`),
  ...levels
    .slice(1)
    .map(({ type, relationship }, level) => `(relationship :${relationship} {:meta {:contains [:${typeAt(level)} :${type}]}})`),
  ...levels
    .slice(1)
    .map(
      ({ type, relationship }, level) => `(attribute :${type}s {:type :${type} :extend :${typeAt(level)} :relationship :${relationship}})`,
    ),
  '(entity :Ground {:Id {:type :String :guid true}})',
  '(event :KeepGround {:Id :String})',
  '(dataflow :KeepGround {:Ground {:Id :KeepGround.Id}})',
  '(entity :Mark {:No {:type :Int :guid true}})',
  '(relationship :Marks {:meta {:between [:Mark :Area]}})',
  '{:Mark {:No 1} :upsert true}',
  nestedEarlier(found, 0, ' :upsert true'),
  ...earlierMade.map(([, { also = '' }]) => also),
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
  forms: earlierMade.map(([level, made], no) =>
    formOf(level, made, [`/api/M/make${no}`, { [`M/make${no}`]: { Data: made.given ?? made.data ?? {}, Path: pathHere(level) } }]),
  ),
};
