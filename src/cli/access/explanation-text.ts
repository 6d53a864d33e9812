// An explanation of access as lines for people and as JSON: the outcome first, then each way with what of it holds.

import { type Explanation, explanationData, nameOf, type ShownReason, textOf } from '../../access/explanation.ts';
import type { Owned } from '../../access/owners.ts';
import type { Holds } from '../../access/ways.ts';
import { positionOf, type Span } from '../../source.ts';
import { printable, shownPath } from '../report.ts';
import type { Colours, Terminal } from '../terminal.ts';

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

export function jsonOf(explanation: Explanation, folder: string): string {
  return JSON.stringify(
    explanationData(explanation, (file) => shownPath(file, folder)),
    undefined,
    2,
  );
}
