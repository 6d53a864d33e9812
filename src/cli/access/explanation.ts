// An explanation of access as lines for people and as JSON: the outcome first, then each way with what of it holds.

import type { Holds, Reason } from '../../access/explain.ts';
import type { Grant, Owned } from '../../access/owners.ts';
import { type Located, pathOf } from '../../engine/address/address.ts';
import type { Operation } from '../../model/model.ts';
import { positionOf, type Span } from '../../source.ts';
import { printable, shownPath } from '../report.ts';
import type { Colours, Terminal } from '../terminal.ts';

export type AskedOperation = Operation | 'execute';

export interface Explanation {
  readonly user: string;
  readonly roles: readonly string[];
  readonly operation: AskedOperation;
  readonly on: string;
  readonly type: string;
  readonly allowed: Holds;
  /** What a request is answered where it is refused. */
  readonly status: 403 | 404 | undefined;
  readonly notes: readonly string[];
  readonly reasons: readonly ShownReason[];
}

export type ShownReason = Reason & { readonly owned: readonly Owned[]; readonly grants: readonly Grant[] };

export function linesOf(explanation: Explanation, { colours, folder }: Terminal): readonly string[] {
  const { user, roles, operation, on, reasons, notes } = explanation;
  const held = roles.length === 0 ? 'no roles' : `roles: ${roles.join(', ')}`;
  return [
    `${printable(`${operation} ${on} by ${user} (${held})`)}: ${colours.bold(outcomeText(explanation))}`,
    ...notes.map(printable),
    ...reasons.flatMap((each) => reasonLines(each, user, colours, folder)),
  ];
}

function outcomeText({ allowed, status, reasons }: Explanation): string {
  if (allowed === undefined) return 'allowed where the new instance fulfils what is marked with ?';
  if (!allowed) return `denied, ${status ?? 403}`;
  const [first] = reasons.filter(({ holds }) => holds === true);
  return first === undefined ? 'allowed' : `allowed by ${first.who}`;
}

function reasonLines(
  { who, holds, rules, tests, owned, way, grants }: ShownReason,
  user: string,
  colours: Colours,
  folder: string,
): readonly string[] {
  const granted =
    way.kind === 'grant'
      ? [
          grantedText(
            grants.flatMap(({ actions }) => actions),
            user,
          ),
        ]
      : [];
  const details = [...owned.map(ownedText), ...granted];
  const shown = details.length === 0 ? '' : `: ${details.join('; ')}`;
  return [
    `${mark(holds, colours)} ${printable(`${who}${shown}`)}`,
    ...rules.map(({ rule }) => `    ${colours.dim(printable(`${placeOf(rule.span, folder)}  ${textOf(rule.span)}`))}`),
    ...tests.map((each) => `    ${mark(each.holds, colours)} ${printable(each.text)}`),
  ];
}

function mark(holds: Holds, { green, red, yellow }: Colours): string {
  return holds === undefined ? yellow('?') : holds ? green('✓') : red('✗');
}

function ownedText(owned: Owned): string {
  const { owners } = owned;
  return `${nameOf(owned.located)} is ${owners.length === 0 ? 'nobody’s' : `owned by ${owners.join(', ')}`}`;
}

function grantedText(actions: readonly string[], user: string): string {
  return actions.length === 0 ? `nothing to ${user}` : `${[...new Set(actions)].join(', ')} to ${user}`;
}

function placeOf(span: Span, folder: string): string {
  return `${shownPath(span.source.file, folder)}:${positionOf(span).line}`;
}

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end).replace(/\s+/g, ' ');
}

export function nameOf({ plan, id }: Located): string {
  return `${plan.type} ${String(id)}`;
}

export function jsonOf(explanation: Explanation, folder: string): string {
  const { user, roles, operation, on, type, allowed, status, notes, reasons } = explanation;
  const ways = reasons.map(({ who, holds, rules, tests, owned, grants }) => ({
    who,
    holds: holds ?? null,
    rules: rules.map(({ of, rule }) => ({
      type: of.type,
      file: shownPath(rule.span.source.file, folder),
      line: positionOf(rule.span).line,
      text: textOf(rule.span),
    })),
    tests: tests.map((each) => ({ text: each.text, holds: each.holds ?? null })),
    owned: owned.map(({ located, owners }) => ({ type: located.plan.type, id: located.id, path: pathOf(located), owners })),
    grants,
  }));
  return JSON.stringify(
    { user, roles, operation, on, type, allowed: allowed ?? null, status: status ?? null, notes, ways },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
}
