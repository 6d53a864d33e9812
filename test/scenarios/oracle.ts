// A small application in memory, written from the specification: what the service must answer to every operation.

export type Type = 'User' | 'Post' | 'Comment' | 'Reply';
export type Body = Readonly<Record<string, unknown>>;

/** An instance by its flat path, or under another instance. */
export interface Address {
  readonly type: Type;
  readonly id: string | number;
  readonly under?: Address;
}

export type Operation =
  | { readonly kind: 'create'; readonly type: Type; readonly under?: Address; readonly body: Body }
  | { readonly kind: 'list'; readonly type: Type; readonly under?: Address; readonly filter?: Body; readonly sort?: string }
  | { readonly kind: 'read' | 'tree' | 'delete'; readonly at: Address }
  | { readonly kind: 'update'; readonly at: Address; readonly body: Body }
  | { readonly kind: 'link'; readonly body: Body }
  | { readonly kind: 'links' };

export interface Expected {
  readonly status: number;
  readonly body?: unknown;
}

interface Rule {
  readonly kind: 'string' | 'number';
  readonly optional?: boolean;
  readonly unique?: boolean;
  readonly fill?: unknown;
}

export const model = `
module m
entity User { email String @id, name String @unique @optional, level Int @default(1) }
entity Post { id Int @id, title String, rank Int @default(0) }
entity Comment { id String @id, text String @optional }
entity Reply { id Int @id, text String @default("-") }
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
relationship Wrote between(User, Post)
`;

const rules: Readonly<Record<Type, Readonly<Record<string, Rule>>>> = {
  User: { email: { kind: 'string' }, name: { kind: 'string', optional: true, unique: true }, level: { kind: 'number', fill: 1 } },
  Post: { id: { kind: 'number' }, title: { kind: 'string' }, rank: { kind: 'number', fill: 0 } },
  Comment: { id: { kind: 'string' }, text: { kind: 'string', optional: true } },
  Reply: { id: { kind: 'number' }, text: { kind: 'string', fill: '-' } },
};
const parents: Partial<Record<Type, Type>> = { Comment: 'Post', Reply: 'Comment' };
const children: Partial<Record<Type, readonly [relationship: string, type: Type]>> = {
  Post: ['PostComment', 'Comment'],
  Comment: ['CommentReply', 'Reply'],
};

interface Row {
  readonly type: Type;
  readonly parent: Row | undefined;
  readonly values: Record<string, unknown>;
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(String(status));
    this.status = status;
  }
}

export class Oracle {
  #rows: Row[] = [];
  #links: { readonly user: Row; readonly post: Row }[] = [];

  /** All or nothing: a refused operation leaves everything as it was. */
  answer(operation: Operation): Expected {
    const [rows, links] = [this.#rows.map((row) => ({ row, values: { ...row.values } })), [...this.#links]];
    try {
      return this.#answer(operation);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      this.#rows = rows.map(({ row, values }) => {
        for (const name of Object.keys(row.values)) row.values[name] = values[name];
        return row;
      });
      this.#links = links;
      return { status: thrown.status };
    }
  }

  #answer(operation: Operation): Expected {
    switch (operation.kind) {
      case 'create':
        return { status: 201, body: this.#create(operation) };
      case 'read':
        return { status: 200, body: shown(this.#find(operation.at)) };
      case 'tree':
        return { status: 200, body: this.#tree(this.#find(operation.at)) };
      case 'list':
        return { status: 200, body: this.#list(operation).map(shown) };
      case 'update':
        return { status: 200, body: this.#update(operation.at, operation.body) };
      case 'delete':
        return { status: 200, body: this.#delete(operation.at) };
      case 'link':
        return { status: 201, body: this.#link(operation.body) };
      default:
        return { status: 200, body: this.#links.map(({ user, post }) => ({ User: user.values['email'], Post: post.values['id'] })) };
    }
  }

  #create({ type, under, body }: Extract<Operation, { kind: 'create' }>): unknown {
    if (under !== undefined && isLink(type, under)) return this.#createLinked(type, under, body);
    if (under === undefined && parents[type] !== undefined) throw new Refusal(422);
    fits(type, body, true);
    const parent = under === undefined ? undefined : this.#find(under);
    return this.#insert(type, parent, body);
  }

  /** The identifier alone links an instance that exists, or makes one where that suffices; anything more makes a new one. */
  #createLinked(type: Type, under: Address, body: Body): unknown {
    const alone = Object.keys(body).length === 1 && Object.hasOwn(body, identifier(type));
    fits(type, body, !alone);
    const from = this.#find(under);
    const existing = alone ? this.#rows.find((row) => row.type === type && idOf(row) === body[identifier(type)]) : undefined;
    if (existing === undefined) fits(type, body, true);
    const count = this.#rows.length;
    const made = existing === undefined ? this.#insert(type, undefined, body) : shown(existing);
    const target = existing ?? this.#rows[count] ?? refuse(500);
    this.#join(type === 'User' ? target : from, type === 'User' ? from : target);
    return made;
  }

  #insert(type: Type, parent: Row | undefined, body: Body): Body {
    const values: Record<string, unknown> = {};
    for (const [name, rule] of Object.entries(rules[type])) values[name] = body[name] ?? rule.fill ?? null;
    const row: Row = { type, parent, values };
    const isTaken = this.#rows.some((other) => other.type === type && other.parent === parent && idOf(other) === idOf(row));
    if (isTaken) throw new Refusal(409);
    this.#checkUnique(row);
    this.#rows.push(row);
    const [relationship, child] = children[type] ?? [];
    const nested = relationship === undefined ? undefined : body[relationship];
    if (relationship === undefined || child === undefined || !Array.isArray(nested)) return shown(row);
    return { ...shown(row), [relationship]: nested.map((each) => this.#insert(child, row, each)) };
  }

  #update(at: Address, body: Body): Body {
    const { [identifier(at.type)]: id, ...rest } = body;
    fits(at.type, rest, false);
    const row = this.#find(at);
    if (id !== undefined && id !== idOf(row)) throw new Refusal(422);
    for (const [name, value] of Object.entries(rest)) row.values[name] = value;
    this.#checkUnique(row);
    return shown(row);
  }

  #delete(at: Address): Body {
    const row = this.#find(at);
    if (at.under !== undefined && isLink(at.type, at.under)) {
      const other = this.#find(at.under);
      this.#links = this.#links.filter(
        ({ user, post }) => !(user === (at.type === 'User' ? row : other) && post === (at.type === 'User' ? other : row)),
      );
      return shown(row);
    }
    const gone = new Set(this.#rows.filter((each) => each === row || isBelow(each, row)));
    this.#rows = this.#rows.filter((each) => !gone.has(each));
    this.#links = this.#links.filter(({ user, post }) => !gone.has(user) && !gone.has(post));
    return shown(row);
  }

  #link(body: Body): Body {
    if (!isOf('string', body['User']) || !isOf('number', body['Post'])) throw new Refusal(422);
    if (Object.keys(body).length > 2) throw new Refusal(422);
    const user = this.#rows.find((row) => row.type === 'User' && idOf(row) === body['User']);
    const post = this.#rows.find((row) => row.type === 'Post' && idOf(row) === body['Post']);
    if (user === undefined || post === undefined) throw new Refusal(422);
    this.#join(user, post);
    return { User: idOf(user), Post: idOf(post) };
  }

  #join(user: Row, post: Row): void {
    if (this.#links.some((each) => each.user === user && each.post === post)) throw new Refusal(409);
    this.#links.push({ user, post });
  }

  #list({ type, under, filter = {}, sort }: Extract<Operation, { kind: 'list' }>): readonly Row[] {
    let found = this.#rows.filter((row) => row.type === type);
    if (under !== undefined) {
      const from = this.#find(under);
      found = found.filter((row) => (isLink(type, under) ? this.#areLinked(row, from) : row.parent === from));
    }
    found = found.filter((row) => Object.entries(filter).every(([name, value]) => row.values[name] === value));
    const descending = sort?.startsWith('-') === true;
    const name = sort?.replace('-', '');
    return found.sort((first, second) => {
      const by = name === undefined ? 0 : compare(first.values[name], second.values[name]);
      return (descending ? -by : by) || comparePlaces(first, second);
    });
  }

  #tree(row: Row): Body {
    const [relationship] = children[row.type] ?? [];
    if (relationship === undefined) return shown(row);
    const below = this.#rows.filter((each) => each.parent === row).sort(comparePlaces);
    return { ...shown(row), [relationship]: below.map((each) => this.#tree(each)) };
  }

  #find({ type, id, under }: Address): Row {
    const rows = this.#rows.filter((row) => row.type === type && idOf(row) === id);
    if (under === undefined) {
      if (rows.length > 1) throw new Refusal(409);
      return rows[0] ?? refuse(404);
    }
    const from = this.#find(under);
    return rows.find((row) => (isLink(type, under) ? this.#areLinked(row, from) : row.parent === from)) ?? refuse(404);
  }

  #areLinked(first: Row, second: Row): boolean {
    return this.#links.some(({ user, post }) => (user === first && post === second) || (user === second && post === first));
  }

  #checkUnique(row: Row): void {
    for (const [name, { unique }] of Object.entries(rules[row.type])) {
      const value = row.values[name];
      const isTaken = this.#rows.some((other) => other !== row && other.type === row.type && other.values[name] === value);
      if (unique === true && value !== null && isTaken) throw new Refusal(409);
    }
  }
}

/** `/m/Post/1/PostComment/Comment/a`. */
export function pathOf(type: Type, id: string | number | undefined, under: Address | undefined): string {
  const own = id === undefined ? type : `${type}/${encodeURIComponent(id)}`;
  if (under === undefined) return `/m/${own}`;
  const relationship = isLink(type, under) ? 'Wrote' : children[under.type]?.[0];
  return `${pathOf(under.type, under.id, under.under)}/${relationship}/${own}`;
}

function isLink(type: Type, under: Address): boolean {
  return parents[type] === undefined && parents[under.type] === undefined;
}

/** Every attribute fits; all required ones are there where the instance is to be whole. */
function fits(type: Type, body: Body, whole: boolean): void {
  for (const [name, value] of Object.entries(body)) {
    const rule = rules[type][name];
    const [relationship, child] = children[type] ?? [];
    if (rule === undefined) {
      if (name !== relationship || child === undefined || !whole || !Array.isArray(value)) throw new Refusal(422);
      for (const each of value) fits(child, each, true);
    } else if (value === null ? rule.optional !== true : !isOf(rule.kind, value)) throw new Refusal(422);
  }
  const isMissing = ([name, rule]: [string, Rule]) => body[name] === undefined && rule.optional !== true && rule.fill === undefined;
  if (whole && Object.entries(rules[type]).some(isMissing)) throw new Refusal(422);
}

function isOf(kind: Rule['kind'], value: unknown): boolean {
  return kind === 'number' ? Number.isInteger(value) : typeof value === 'string';
}

function shown(row: Row): Body {
  return row.parent === undefined ? { ...row.values } : { ...row.values, __path__: placeOf(row) };
}

function placeOf(row: Row): string {
  const own = `m$${row.type}/${encodeURIComponent(String(idOf(row)))}`;
  return row.parent === undefined ? `path://${own}` : `${placeOf(row.parent)}/m$${children[row.parent.type]?.[0]}/${own}`;
}

/** By the parent, then by the typed identifier. */
function comparePlaces(first: Row, second: Row): number {
  if (first.parent === undefined || second.parent === undefined) return compare(idOf(first), idOf(second));
  return comparePlaces(first.parent, second.parent) || compare(idOf(first), idOf(second));
}

/** Absent values first; numbers by value, text by code point. */
function compare(first: unknown, second: unknown): number {
  if (first === null || second === null) return Number(first !== null) - Number(second !== null);
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  return Buffer.compare(Buffer.from(String(first)), Buffer.from(String(second)));
}

function identifier(type: Type): string {
  return type === 'User' ? 'email' : 'id';
}

function idOf(row: Row): unknown {
  return row.values[identifier(row.type)];
}

function isBelow(row: Row, top: Row): boolean {
  return row.parent !== undefined && (row.parent === top || isBelow(row.parent, top));
}

function refuse(status: number): never {
  throw new Refusal(status);
}
