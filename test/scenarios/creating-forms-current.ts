// The forms of the current syntax that create instances.

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

/** A tree as the body of a request: from this level on, all below it. */
function treeOf(chain: Level, level: number): object {
  return chain.slice(level).reduceRight<object>((inner, id, index) => {
    const deeper = level + index + 1;
    return deeper >= chain.length ? { id } : { id, [relationshipAt(deeper)]: [inner] };
  }, {});
}

type At = (title: string, make: Parameters<typeof madeAt>[2]) => Made;

function currentForms(level: number): readonly Made[] {
  const at: At = (title, make) => madeAt(level, title, make);
  const create = (id: string | number): string => under(level, createCurrent(level, id));
  const all = [...patterns(level, at, create), ...statements(at, create), ...triggers(at, create), ...requests(level, at)];
  if (level === 0) return all;
  const [parent, given] = [typeAt(level - 1), text(found[level - 1] ?? '')];
  // Other parents may have got children of the same identifier meanwhile: the first of all forms.
  return [
    at('a parent that is found by its own type', (id) => ({
      body: `{${parent} {id? ${given}}, ${relationshipAt(level)} [${createCurrent(level, id)}]}`,
    })),
    at('a parent that is changed', (id) => ({
      body: `{${parent} {id? ${given}, note "changed"}, ${relationshipAt(level)} [${createCurrent(level, id)}]}`,
    })),
    ...all,
  ];
}

function patterns(level: number, at: At, create: (id: string | number) => string): readonly Made[] {
  const [chain, linked, both, ofMap] = [next(), next(), next(), next()].map((no) => freshChain(level, no));
  const upserted = [...upTo(level), fresh(level, next())];
  const below = [...upTo(level), ...freshChain(3, next()).slice(level)];
  if (chain === undefined || linked === undefined || both === undefined || ofMap === undefined) throw new Error('no chain');
  const mark = next();
  return [
    at('what is found', (id) => ({ body: create(id) })),
    { title: 'nested creates', body: nestedCurrent(chain), creates: prefixes(chain) },
    { title: 'nested creates under what is found', body: under(level, nestedCurrent(below, level)), creates: prefixes(below).slice(level) },
    { title: 'creates behind a link', body: `{Mark {no? 1}, Marks [${nestedCurrent(linked)}]}`, creates: prefixes(linked) },
    { title: 'creates behind a link of a create', body: `{Mark {no ${mark}}, Marks [${nestedCurrent(both)}]}`, creates: prefixes(both) },
    { title: '@upsert of a whole tree', body: nestedCurrent(upserted, 0, ', @upsert'), creates: [upserted] },
    { title: '@from a tree', body: '{Area {}, @from EVENT.data}', data: treeOf(ofMap, 0), creates: prefixes(ofMap) },
    at('@from', (id) => ({ body: under(level, `{${typeAt(level)} {}, @from EVENT.data}`), data: { id } })),
    at('@from and @upsert', (id) => ({ body: under(level, `{${typeAt(level)} {}, @from EVENT.data, @upsert}`), data: { id } })),
    at('@upsert', (id) => ({ body: under(level, `{${typeAt(level)} {id ${text(id)}}, @upsert}`) })),
    at('an attribute of the event', (id) => ({ body: under(level, `{${typeAt(level)} {id EVENT.data}}`), given: id })),
    at('a named result', (id) => ({ body: `${create(id)} @as made; made` })),
  ];
}

function statements(at: At, create: (id: string | number) => string): readonly Made[] {
  return [
    at('a loop', (id) => ({ body: `for each in {Mark {no? 1}} { ${create(id)} }` })),
    at('if', (id) => ({ body: `if (1 < 2) { ${create(id)} }` })),
    at('else', (id) => ({ body: `if (1 > 2) { 1 } else { ${create(id)} }` })),
    at('else if', (id) => ({ body: `if (1 > 2) { 1 } else if (1 < 2) { ${create(id)} }` })),
    at('return', (id) => ({ body: `return ${create(id)}` })),
    at('@empty', (id) => ({ body: `{Mark {no? -1}} @empty ${create(id)}` })),
    at('@then', (id) => ({ body: `{Mark {no? 1}} @then { ${create(id)} }` })),
    at('@catch not_found', (id) => ({ body: `{Mark {no? -1}} @catch {not_found ${create(id)}}` })),
    at('@catch error', (id) => ({ body: `{Mark {no 1}} @catch {error ${create(id)}}` })),
    at('another event', (id, no) => ({ body: `{inner${no} {}}`, also: `workflow inner${no} { ${create(id)} }` })),
    at('a statement at start', (id) => ({ body: '', also: create(id), post: undefined })),
  ];
}

function triggers(at: At, create: (id: string | number) => string): readonly Made[] {
  const signal = (when: string, make: (id: string | number, no: number) => Pick<Made, 'body' | 'later'>): Made =>
    at(`a trigger ${when}`, (id, no) => ({
      also: `entity Signal${no} { no Int @id, text String @optional }\nworkflow ${when}:Signal${no} { ${create(id)} }`,
      ...make(id, no),
    }));
  const ofEntity = (how: string, later: boolean): Made =>
    at(`@after of an entity${how}`, (id, no) => ({
      body: `{Signal${no} {no 1}}`,
      also: `entity Signal${no} { no Int @id, @after {create note${no}${how}} }\nworkflow note${no} { ${create(id)} }`,
      later,
    }));
  return [
    signal('@before create', (_, no) => ({ body: `{Signal${no} {no 1}}` })),
    signal('@after create', (_, no) => ({ body: `{Signal${no} {no 1}}` })),
    signal('@before update', (_, no) => ({ body: `{Signal${no} {no 1}}; {Signal${no} {no? 1, text "x"}}` })),
    signal('@after update', (_, no) => ({ body: `{Signal${no} {no 1}}; {Signal${no} {no? 1, text "x"}}` })),
    signal('@before delete', (_, no) => ({ body: `{Signal${no} {no 1}}; delete {Signal${no} {no? 1}}` })),
    signal('@after delete', (_, no) => ({ body: `{Signal${no} {no 1}}; delete {Signal${no} {no? 1}}` })),
    ofEntity('', false),
    ofEntity(' @async', true),
  ];
}

function requests(level: number, at: At): readonly Made[] {
  const tree = [...upTo(level), ...freshChain(3, next()).slice(level)];
  const linked = freshChain(level, next());
  return [
    at('REST', (id) => ({ body: '', post: [restPath('/m', level), { id }] })),
    { title: 'a tree by REST', body: '', post: [restPath('/m', level), treeOf(tree, level)], creates: prefixes(tree).slice(level) },
    { title: 'behind a link by REST', body: '', post: ['/m/Mark/1/Marks/Area', treeOf(linked, 0)], creates: prefixes(linked) },
  ];
}

const currentMade = allLevels.flatMap((level) => currentForms(level).map((made) => [level, made] as const));

const currentSource = [
  'module m',
  ...levels.map(({ type }, level) => `entity ${type} { id ${level % 2 === 0 ? 'String' : 'Int'} @id, note String @optional }`),
  ...levels.slice(1).map(({ type, relationship }, level) => `relationship ${relationship} contains (${typeAt(level)}, ${type})`),
  'entity Mark { no Int @id }',
  'relationship Marks between (Mark, Area)',
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
  forms: currentMade.map(([level, made], no) => formOf(level, made, [`/m/make${no}`, { data: made.given ?? made.data ?? {} }])),
};
