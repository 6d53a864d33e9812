// Every form of a pattern has a case and a scenario in each syntax that has it; a new kind of pattern without them does not pass.

import { describe, expect, test } from 'vitest';
import { surfaceOf } from '../../src/config/project.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import type { Source } from '../../src/source.ts';
import { currentTables } from '../dataflow/forms/current.ts';
import { currentForms } from '../dataflow/forms/current-library.ts';
import { earlierTables } from '../dataflow/forms/earlier.ts';
import { earlierForms } from '../dataflow/forms/earlier-library.ts';
import type { FormTables, Syntax } from '../dataflow/forms/form.ts';
import { caseFiles, sourcesOf } from './case-file.ts';
import { type FormName, formsOf } from './pattern-forms.ts';

type Surface = Syntax['surface'];

const both = ['current', 'earlier'] as const;
const earlier = ['earlier'] as const;

/** Which syntax has which form. */
const syntaxes: Readonly<Record<FormName, readonly Surface[]>> = {
  'pattern instance': both,
  'pattern expression': both,
  'pattern full-text': both,
  'pattern delete': both,
  'pattern for': both,
  'pattern if': both,
  'pattern return': both,
  'pattern throw': both,
  'pattern match': earlier,
  'pattern block': earlier,
  'pattern eval': earlier,
  'pattern await': earlier,
  'pattern path': earlier,
  'pattern query': earlier,
  'pattern rethrow': earlier,
  'value literal': both,
  'value map': both,
  'value list': both,
  'value reference': both,
  'value call': both,
  'value unary': both,
  'value binary': both,
  'value pattern': both,
  'value quote': earlier,
  'value unquote': earlier,
  'value code': earlier,
  'operator not': both,
  'operator -': both,
  'operator +': both,
  'operator *': both,
  'operator /': both,
  'operator and': both,
  'operator or': both,
  'operator ==': both,
  'operator !=': both,
  'operator <': both,
  'operator <=': both,
  'operator >': both,
  'operator >=': both,
  'operator in': both,
  'operator like': both,
  'operator between': both,
  'test ==': both,
  'test !=': both,
  'test <': both,
  'test <=': both,
  'test >': both,
  'test >=': both,
  'test in': both,
  'test like': both,
  'test between': both,
  'option from': both,
  'option upsert': both,
  'option distinct': both,
  'option joins': both,
  'option into': both,
  'option where': both,
  'option condition': both,
  'option groupBy': both,
  'option orderBy': both,
  'option limit': both,
  'option offset': both,
  'option withTypes': earlier,
  'option ignored': earlier,
  'join inner': both,
  'join left': both,
  'join right': both,
  'join full': both,
  'aggregate count': both,
  'aggregate sum': both,
  'aggregate avg': both,
  'aggregate min': both,
  'aggregate max': both,
  'suffix as': both,
  'suffix catches': both,
  'suffix throws': both,
  'suffix empty': both,
  'suffix then': both,
  'on not_found': both,
  'on error': both,
  'on declined': both,
  'alias whole': both,
  'alias parts': both,
  'alias skip': both,
  'alias rest': both,
  'instance create': both,
  'instance query': both,
  'instance update': both,
  'instance all': both,
  'instance nested': both,
  'instance links': earlier,
  'link made': earlier,
  'link found': earlier,
  'link attributes': earlier,
  'link id': earlier,
  'before create': both,
  'before update': both,
  'before delete': both,
  'after create': both,
  'after update': both,
  'after delete': both,
  'runs event': both,
  'runs later': both,
  'awaited call': both,
  purge: both,
  rule: earlier,
  'rule on delete': earlier,
  'conditional event': earlier,
  'start-up': both,
};

/** Forms whose scenarios are no row of the tables, and why. */
const scenariosElsewhere: Partial<Record<FormName, string>> = {
  'pattern full-text': 'test/scenarios/search.test.ts',
  'pattern await': 'runs after the answer: dataflows.test.ts',
  'value code': 'functions in Clojure have tests of their own',
  'option withTypes': 'test/dataflow/gaps.test.ts',
  'option ignored': 'has no effect',
  'on declined': 'nothing is declined without access control',
  'before create': 'forms-triggers.test.ts',
  'before update': 'forms-triggers.test.ts',
  'before delete': 'forms-triggers.test.ts',
  'after create': 'forms-triggers.test.ts',
  'after update': 'forms-triggers.test.ts',
  'after delete': 'forms-triggers.test.ts',
  'runs event': 'forms-triggers.test.ts',
  'runs later': 'forms-triggers.test.ts',
  rule: 'forms-triggers.test.ts',
  'rule on delete': 'forms-triggers.test.ts',
  'conditional event': 'forms-triggers.test.ts',
};

function formsIn(sources: readonly Source[], surface: Surface): ReadonlySet<FormName> {
  const own = sources.filter((source) => surfaceOf(source) === surface);
  const frontEnd = surface === 'earlier' ? earlierFrontEnd : currentFrontEnd;
  return new Set(own.flatMap((source) => [...formsOf(frontEnd.read(source).unit)]));
}

function wanted(surface: Surface): readonly FormName[] {
  const names = Object.keys(syntaxes).filter((name): name is FormName => Object.hasOwn(syntaxes, name));
  return names.filter((name) => syntaxes[name].includes(surface));
}

function sourcesOfRows(tables: FormTables, { project }: Syntax): readonly Source[] {
  return Object.values(tables)
    .flat()
    .flatMap((row) => Object.entries(project(row)).map(([file, text]) => ({ file, text })))
    .filter(({ file }) => file.endsWith('.al') || file.endsWith('.platform'));
}

const tables = [
  [currentForms, currentTables],
  [earlierForms, earlierTables],
] as const;

for (const [syntax, rows] of tables) {
  const { surface } = syntax;
  describe(surface, () => {
    test('every form has a case', () => {
      const sources = caseFiles().flatMap(({ cases }) => cases.flatMap(sourcesOf));
      const shown = formsIn(sources, surface);
      expect(wanted(surface).filter((form) => !shown.has(form))).toEqual([]);
    });

    test('every form has a scenario', () => {
      const shown = formsIn(sourcesOfRows(rows, syntax), surface);
      expect(wanted(surface).filter((form) => !shown.has(form) && scenariosElsewhere[form] === undefined)).toEqual([]);
    });
  });
}

test('what the table says a syntax lacks, it lacks', () => {
  const sources = [
    ...caseFiles().flatMap(({ cases }) => cases.flatMap(sourcesOf)),
    ...tables.flatMap(([syntax, rows]) => sourcesOfRows(rows, syntax)),
  ];
  for (const surface of both) {
    const has = new Set(wanted(surface));
    expect([...formsIn(sources, surface)].filter((form) => !has.has(form))).toEqual([]);
  }
});
