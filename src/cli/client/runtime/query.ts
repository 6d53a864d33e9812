// Queries of a generated client as query strings. Part of the generated file.

/** How `where` reaches what is related: the names that stand in the query for it, and what can be asked there. */
export interface Related {
  readonly name: string;
  readonly target: () => Names;
}

export interface Names {
  readonly related: Readonly<Record<string, Related>>;
  /** Attributes that are records or maps: what is asked of them is asked of a part. */
  readonly records: readonly string[];
}

export interface AnyQuery {
  readonly where?: object;
  readonly orderBy?: readonly object[];
  readonly select?: readonly PropertyKey[];
  readonly include?: unknown;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly after?: string | undefined;
  readonly search?: string | undefined;
}

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'between', 'null', 'has']);

export function queryString(query: AnyQuery, names: Names): string {
  const pairs: (readonly [string, string])[] = [...filters(query.where ?? {}, names)];
  const add = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== '') pairs.push([name, String(value)]);
  };
  add('@sort', (query.orderBy ?? []).flatMap(orders).join(','));
  add('@select', query.select?.map(String).join(','));
  add('@include', included(query.include).join(','));
  add('@search', query.search);
  add('@limit', query.limit);
  add('@offset', query.offset);
  add('@after', query.after);
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}

function orders(order: object): readonly string[] {
  return Object.entries(order).map(([name, direction]) => (direction === 'desc' ? `-${name}` : name));
}

/** `{ A: { include: { B: true } } }` is `A,A.B`. */
function included(include: unknown, before = ''): readonly string[] {
  if (typeof include !== 'object' || include === null) return [];
  return Object.entries(include).flatMap(([name, more]: [string, unknown]) => {
    const path = `${before}${name}`;
    const deeper = typeof more === 'object' && more !== null && 'include' in more ? included(more.include, `${path}.`) : [];
    return more === undefined ? [] : [path, ...deeper];
  });
}

function filters(where: object, names: Names): readonly (readonly [string, string])[] {
  return Object.entries(where).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (name !== 'or' || !Array.isArray(value)) return terms(name, value, names);
    const group = value.map((each: unknown) => alternative(each, names));
    // Of none of them none holds, which no query can say; without it everything would be meant.
    if (group.length === 0) throw new TypeError('`or` needs at least one filter');
    const possible = group.flatMap(([only, ...others]) => (only === undefined || others.length > 0 ? [] : [only]));
    // An alternative that never holds adds nothing to others; alone, nothing is found.
    if (possible.length === 0) return group[0] ?? [];
    return [['@or', `(${possible.map(([key, text]) => `${key}=${quoted(text)}`).join(',')})`] as const];
  });
}

/** One filter of several of which one must hold; two terms only where it never does. */
function alternative(where: unknown, names: Names): readonly Term[] {
  const found = typeof where === 'object' && where !== null ? Object.entries(where).filter(([, value]) => value !== undefined) : [];
  const all = found.flatMap(([name, value]: [string, unknown]) => terms(name, value, names));
  const [only, ...others] = all;
  const isNever = others.length === 1 && others[0]?.[0] === '@or';
  if (only === undefined || (others.length > 0 && !isNever)) throw new TypeError('each filter of `or` is one comparison of one attribute');
  return all;
}

type Term = readonly [name: string, value: string];

/** What is asked of one attribute, of a part of it, or of what is related. */
function terms(name: string, value: unknown, names: Names, before = '', isRelated = false): readonly Term[] {
  const related = names.related[name];
  const path = `${before}${name}`;
  if (typeof value !== 'object' || value === null || value instanceof Date || Array.isArray(value)) return [comparison(path, 'eq', value)];
  if (related !== undefined) {
    const target = related.target();
    return Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
      each === undefined ? [] : terms(key, each, target, `${before}${related.name}.`, true),
    );
  }
  return Object.entries(value).flatMap(([key, each]: [string, unknown]): readonly Term[] => {
    if (each === undefined) return [];
    const isPart = names.records.includes(name) && key !== 'null';
    if (isPart) return terms(key, each, { related: {}, records: [] }, `${path}.`, isRelated);
    if (!operators.has(key)) throw new TypeError(`${path} has no comparison ${key}`);
    return Array.isArray(each) ? listed(path, key, each, isRelated) : [comparison(path, key, each)];
  });
}

/** Nothing is among none: what is both there and absent. */
function listed(path: string, operator: string, values: readonly unknown[], isRelated: boolean): readonly Term[] {
  if (operator !== 'in' && operator !== 'between') throw new TypeError(`${path}: ${operator} takes one value`);
  if (values.some((each) => each === null || each === undefined)) throw new TypeError(`${path}: ${operator} takes values that are there`);
  if (operator === 'between' && values.length !== 2) throw new TypeError(`${path}: between takes two values`);
  if (values.length > 0) return [[`${path}[${operator}]`, values.map((each) => quoted(textOf(each))).join(',')]];
  // Of several related instances one might be there and another absent.
  if (isRelated) throw new TypeError(`${path}: in takes at least one value along relationships`);
  return [
    [`${path}[null]`, 'true'],
    ['@or', `(${path}[null]=false)`],
  ];
}

function comparison(path: string, operator: string, value: unknown): Term {
  if (value === null && operator !== 'eq' && operator !== 'ne') throw new TypeError(`${path}: ${operator} takes a value`);
  if (value === null) return [`${path}[null]`, operator === 'ne' ? 'false' : 'true'];
  if (Array.isArray(value)) throw new TypeError(`${path}: a list is compared with in, between or has`);
  return [operator === 'eq' ? path : `${path}[${operator}]`, textOf(value)];
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
