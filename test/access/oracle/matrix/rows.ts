// The rows of the matrix: chains of four levels, in which every user stands in every relation to an instance of every level.

import { randomBytes } from 'node:crypto';
import type { Facts, Grant, Link, Row, User } from '../oracle.ts';
import type { LinkRules, ModelRules, Rule } from '../rules.ts';

/** One contains the next. */
export const levels = ['A', 'B', 'C', 'D'] as const;
export type Level = (typeof levels)[number];
/** Those of the matrix, and the teams whose owners the links assign. */
export const types = [...levels, 'Team'] as const;

export function relationshipTo(level: Level): string | undefined {
  const parent = levels[levels.indexOf(level) - 1];
  return parent === undefined ? undefined : `${parent}${level}`;
}

const rules: readonly Rule[] = [
  { roles: ['maker'], allow: ['create'] },
  { roles: ['reader'], allow: ['read'] },
  { roles: ['editor'], allow: ['read', 'update'] },
  { roles: ['keeper'], allow: ['*'] },
  { roles: ['self'], allow: ['*'], where: 'boss' },
];

const assignments: readonly LinkRules[] = levels.map((level) => ({
  name: `${level}Team`,
  ends: [{ entity: level }, { entity: 'Team' }],
  assign: { to: 'Team', from: level },
}));

export const model: ModelRules = {
  entities: [
    ...levels.map((name, at) => {
      const [parent, relationship] = [levels[at - 1], relationshipTo(name)];
      // Owners of the one above own it in one of the two cases.
      const inherit = at % 2 === 0;
      const within = parent === undefined || relationship === undefined ? {} : { within: { parent, relationship, inherit } };
      return { name, rules, ...(name === 'C' ? { ownerOnly: true } : {}), ...within };
    }),
    { name: 'Team' },
  ],
  links: assignments,
};

/** Those with a name stand in every relation to some chain; which one differs from user to user. */
const named = [
  ['nina', []],
  ['mark', ['maker']],
  ['rita', ['reader']],
  ['edda', ['editor']],
  ['kurt', ['keeper']],
  ['seth', ['self']],
  ['mira', ['maker', 'reader']],
] as const;

export interface Caller extends User {
  readonly name: string;
}

export const callers: readonly Caller[] = [
  ...named.map(([name, roles]) => ({ name, email: `${name}@example.com`, roles })),
  { name: 'admin', email: 'admin@example.com', roles: ['admin'] },
  { name: 'anonymous', email: undefined, roles: [] },
];

const relations = ['none', 'owner', 'owner by a link', 'granted read', 'granted update', 'granted delete', 'named in the row'] as const;
export type Relation = (typeof relations)[number];

export interface MatrixFacts extends Facts {
  readonly links: readonly (Link & { readonly text: string })[];
}

/** In no other text; words around it are searched for. */
function canary(): string {
  return `canary${randomBytes(8).toString('hex')}`;
}

export const canaries = /canary[0-9a-f]{16}/g;

/** A chain for each relation and each level at which somebody stands in it. */
export function makeRows(): MatrixFacts {
  const emails = named.map(([name]) => `${name}@example.com`);
  const [rows, links, owners, grants]: [
    Row[],
    { type: string; text: string; ends: [Row, Row] }[],
    { row: Row; assignee: string }[],
    Grant[],
  ] = [[], [], [], []];
  const teams = emails.map((assignee, at) => {
    const team: Row = { type: 'Team', id: 900 + at, text: canary() };
    owners.push({ row: team, assignee });
    return team;
  });
  relations.forEach((_, slot) => {
    levels.forEach((level, depth) => {
      const relationOf = (user: number): Relation => relations[(slot + user) % relations.length] ?? 'none';
      const chain = makeChain(
        100 * (slot * levels.length + depth + 1),
        depth,
        emails.find((_each, at) => relationOf(at) === 'named in the row'),
      );
      const row = chain[depth];
      if (row === undefined) return;
      rows.push(...chain);
      emails.forEach((assignee, user) => {
        const relation = relationOf(user);
        const team = teams[user];
        if (relation === 'owner') owners.push({ row, assignee });
        if (relation === 'owner by a link' && team !== undefined) links.push({ type: `${level}Team`, text: canary(), ends: [row, team] });
        if (relation === 'granted read') grants.push({ row, assignee, actions: ['read'] });
        if (relation === 'granted update') grants.push({ row, assignee, actions: ['update'] });
        if (relation === 'granted delete') grants.push({ row, assignee, actions: ['delete'] });
      });
    });
  });
  return { model, rows: [...rows, ...teams], links, owners, grants };
}

function makeChain(first: number, depth: number, boss: string | undefined): readonly Row[] {
  const chain: Row[] = [];
  levels.forEach((type, at) => {
    const parent = chain.at(-1);
    const row = { type, id: first * 10 + at, text: canary(), ...(at === depth && boss !== undefined ? { boss } : {}) };
    chain.push(parent === undefined ? row : { ...row, parent });
  });
  return chain;
}

/** `A/1000/AB/B/1001`. */
export function placeOf({ type, id, parent }: Row): string {
  return parent === undefined ? `${type}/${id}` : `${placeOf(parent)}/${parent.type}${type}/${type}/${id}`;
}

/** As assignments and links name it. */
export function referenceOf(row: Row): string {
  return row.parent === undefined ? String(row.id) : pathOf(row);
}

export function pathOf(row: Row): string {
  const parts = placeOf(row).split('/');
  return `path://${parts.map((part) => (/^\d/.test(part) ? part : `m$${part}`)).join('/')}`;
}

export function childrenOf(row: Row, { rows }: Facts): readonly Row[] {
  return rows.filter(({ parent }) => parent === row);
}
