// What a condition means, in plain code over plain data, and its text in the syntax of the current surface.

export type Plain = string | number | null;

/** What values are compared as. */
export type Kind = 'number' | 'text' | 'date' | 'datetime' | 'time';

/** A value of the row, of rows that a path leads to, or of the caller's own instance: by what is written behind `this` or `auth`. */
export interface Named {
  readonly of: 'this' | 'auth';
  readonly path: string;
  readonly kind: Kind;
}

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly left: Named; readonly operator: Operator; readonly right: Named | Plain | 'auth.user' | 'auth.id' }
  | { readonly kind: 'null'; readonly left: Named; readonly isNull: boolean }
  | { readonly kind: 'in'; readonly left: Named; readonly items: readonly Plain[] }
  | { readonly kind: 'between'; readonly left: Named; readonly low: Plain; readonly high: Plain }
  | { readonly kind: 'like'; readonly left: Named; readonly pattern: string };

export interface Asked {
  readonly user: string;
  readonly id: string;
  /** The caller's own instances. */
  readonly profiles: readonly Readonly<Record<string, Plain>>[];
  /** The values to which a path leads from the row. */
  values(path: string): readonly Plain[];
}

/** For one of the caller's own instances, or without any. */
export function holds(condition: Condition, asked: Asked): boolean {
  return [undefined, ...asked.profiles].some((profile) => holdsWith(condition, false, profile, asked));
}

type Profile = Readonly<Record<string, Plain>> | undefined;

function holdsWith(condition: Condition, negated: boolean, profile: Profile, asked: Asked): boolean {
  switch (condition.kind) {
    case 'not':
      return holdsWith(condition.part, !negated, profile, asked);
    case 'and':
    case 'or': {
      const each = (part: Condition): boolean => holdsWith(part, negated, profile, asked);
      return (condition.kind === 'and') === negated ? condition.parts.some(each) : condition.parts.every(each);
    }
    default: {
      const named = namedIn(condition).filter(({ of }) => of === 'auth');
      const isAbsent = ({ path }: Named): boolean =>
        profile === undefined || (condition.kind !== 'null' && (profile[path] ?? null) === null);
      if (named.some(isAbsent)) return false;
      return testHolds(condition, profile, asked) !== negated;
    }
  }
}

type Test = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

function namedIn(test: Test): readonly Named[] {
  return test.kind === 'compare' && isNamed(test.right) ? [test.left, test.right] : [test.left];
}

function isNamed(value: Named | Plain): value is Named {
  return typeof value === 'object' && value !== null;
}

function testHolds(test: Test, profile: Profile, asked: Asked): boolean {
  const all = ({ of, path }: Named): readonly Plain[] => (of === 'this' ? asked.values(path) : [profile?.[path] ?? null]);
  const { kind } = test.left;
  return all(test.left).some((left) => {
    switch (test.kind) {
      case 'null':
        return (left === null) === test.isNull;
      case 'in':
        return test.items.some((each) => compared(left, '=', each, kind));
      case 'between':
        return compared(left, '>=', test.low, kind) && compared(left, '<=', test.high, kind);
      case 'like':
        return left !== null && likeness(test.pattern).test(String(left));
      default: {
        const { right } = test;
        const others = right === 'auth.user' ? [asked.user] : right === 'auth.id' ? [asked.id] : isNamed(right) ? all(right) : [right];
        return others.some((each) => compared(left, test.operator, each, kind));
      }
    }
  });
}

function compared(left: Plain, operator: Operator, right: Plain, kind: Kind): boolean {
  if (left === null || right === null) return operator === '!=' && (left === null) !== (right === null);
  const [one, other] = [measure(left, kind), measure(right, kind)];
  switch (operator) {
    case '=':
      return one === other;
    case '!=':
      return one !== other;
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    default:
      return one >= other;
  }
}

function measure(value: string | number, kind: Kind): string | number {
  if (kind === 'number') return Number(value);
  return kind === 'datetime' ? Date.parse(String(value)) : kind === 'time' ? Date.parse(`2000-01-01T${value}Z`) : String(value);
}

function likeness(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('%', '[^]*').replaceAll('_', '[^]')}$`, 'u');
}

export function textOf(condition: Condition): string {
  switch (condition.kind) {
    case 'not':
      return `not (${textOf(condition.part)})`;
    case 'and':
    case 'or':
      return condition.parts.map((each) => `(${textOf(each)})`).join(` ${condition.kind} `);
    case 'null':
      return `${nameOf(condition.left)} is ${condition.isNull ? '' : 'not '}null`;
    case 'in':
      return `${nameOf(condition.left)} in [${condition.items.map(valueText).join(', ')}]`;
    case 'between':
      return `${nameOf(condition.left)} between [${valueText(condition.low)}, ${valueText(condition.high)}]`;
    case 'like':
      return `${nameOf(condition.left)} like ${JSON.stringify(condition.pattern)}`;
    default:
      return `${nameOf(condition.left)} ${condition.operator} ${rightText(condition.right)}`;
  }
}

function rightText(right: Named | Plain): string {
  if (isNamed(right)) return nameOf(right);
  return right === 'auth.user' || right === 'auth.id' ? right : valueText(right);
}

function nameOf({ of, path }: Named): string {
  return of === 'this' ? `this.${path}` : `auth.Staff.${path}`;
}

function valueText(value: Plain): string {
  return JSON.stringify(value);
}
