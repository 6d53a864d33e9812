// What `platform migrate` prints: plans and status, for people and as JSON.

import { wasMark } from '../../store/migration/diff/refusal.ts';
import type { Judged } from '../../store/migration/diff/verdicts.ts';
import type { MigrationPlan, MigrationStatus } from '../../store/migration/migration.ts';
import { byWhom, changeData, statusData } from '../../store/migration/status-data.ts';
import { counted } from '../report.ts';
import type { Colours } from '../terminal.ts';

const fits = 'Nothing to do: the database fits the model.';

export function planText({ changes, statements, lookalikes }: MigrationPlan, colours: Colours): string {
  if (changes.length === 0) return fits;
  const blocked = changes.filter((each) => each.blocked !== undefined);
  const names = lookalikes.map(
    ({ table, column, was }) =>
      `  ${column === undefined ? table : `${table}.${column}`} is new and could be what was ${was}: then say ${wasMark(localName(was))}`,
  );
  return [
    colours.bold(`The model asks for ${counted(changes.length, 'change')}:`),
    ...changeLines(changes),
    ...(blocked.length === 0 ? [] : ['', colours.bold('In the way:'), ...blockedLines(changes)]),
    ...(names.length === 0 ? [] : ['', colours.bold('Perhaps a new name:'), ...names]),
    ...(statements.length === 0 ? [] : ['', colours.bold('Statements:'), ...statements.map((each) => `  ${each}`)]),
    '',
    verdict(changes),
  ].join('\n');
}

export function changeLines(changes: readonly Judged[]): readonly string[] {
  return changes.map((each) => `  ${mark(each)} ${each.words}`);
}

export function blockedLines(changes: readonly Judged[]): readonly string[] {
  return changes.flatMap(({ blocked, ways }) => (blocked === undefined ? [] : [`  - ${blocked}`, ...ways.map((way) => `      ${way}`)]));
}

export function planJson({ changes, statements, lookalikes }: MigrationPlan): string {
  return JSON.stringify({ changes: changes.map(changeData), statements, lookalikes }, undefined, 2);
}

export function statusText({ pending, history, retired }: MigrationStatus, colours: Colours): string {
  const done = history.flatMap((each) => [
    `  ${each.number}  ${each.time}  ${each.kind}${each.version === '' ? '' : `  version ${each.version}`}${each.undone ? '  (undone)' : ''}`,
    ...shortened(each.words).map((word) => `     ${word}`),
  ]);
  return [
    ...(pending.length === 0 ? [fits] : [colours.bold('Pending:'), ...changeLines(pending), verdict(pending)]),
    '',
    colours.bold('History:'),
    ...(done.length === 0 ? ['  none'] : done),
    '',
    colours.bold('Retired:'),
    ...(retired.length === 0
      ? ['  nothing']
      : retired.map(
          (each) =>
            `  ${each.name} (${each.type}), ${counted(each.rows, 'row')}, since ${each.since}${each.replaced ? '; it has another type now' : ''}`,
        )),
  ].join('\n');
}

export function statusJson(status: MigrationStatus): string {
  return JSON.stringify(statusData(status), undefined, 2);
}

function mark(each: Judged): string {
  return { start: '+', apply: '!', nobody: 'x' }[byWhom(each)];
}

function verdict(changes: readonly Judged[]): string {
  if (changes.some((each) => each.blocked !== undefined)) return 'x cannot be done as things stand; nothing of it will be.';
  if (changes.some((each) => !each.atStart)) return '! is refused at start; platform migrate apply does all of it.';
  return 'The next start does it by itself; so does platform migrate apply.';
}

const mostWords = 10;

/** The first start of a large model has made a thousand tables. */
function shortened(words: readonly string[]): readonly string[] {
  return words.length <= mostWords ? words : [...words.slice(0, mostWords), `… and ${words.length - mostWords} more`];
}

function localName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
