// Models that are shared like libraries: packages of package.json, their faults, and the example that uses one.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command, root, workspace } from '../cli/harness.ts';

function project(files: Readonly<Record<string, string>>): string {
  const place = workspace(files);
  onTestFinished(() => place.remove());
  return place.folder;
}

const main = (dependencies: object) => JSON.stringify({ name: 'main', dependencies });
const app = 'module app\nentity Note { id Int @id }\nrelationship NoteThing between(Note, lib/Thing)\n';
const lib = 'module lib\nentity Thing { id Int @id }\n';
const manifest = (name: string, more: object = {}) => JSON.stringify({ name, version: '1.0.0', ...more });

const found: readonly [title: string, files: Readonly<Record<string, string>>, out: RegExp][] = [
  [
    'a dependency with src/*.al is part of the application',
    {
      'package.json': main({ lib: '1.0.0' }),
      'src/app.al': app,
      'node_modules/lib/package.json': manifest('lib'),
      'node_modules/lib/src/lib.al': lib,
    },
    /^lib 1\.0\.0 {2}lib {2}node_modules\/lib$/m,
  ],
  [
    'a package of a scope, in the syntax of the earlier surface, is part of a current project',
    {
      'package.json': main({ '@acme/lib': '*' }),
      'src/app.al': app.replace('lib/Thing', 'Lib/Thing'),
      'node_modules/@acme/lib/model.platform': '{:name :Lib :version "0.2.0" :platform-version "current" :components [:Lib]}',
      'node_modules/@acme/lib/lib.platform': '(component :Lib)\n(entity :Thing {:Id {:type :Int :guid true}})',
    },
    /^Lib 0\.2\.0 {2}Lib /m,
  ],
  [
    'packages depend on packages, and each is there once',
    {
      'package.json': main({ lib: '*', other: '*' }),
      'src/app.al': app,
      'node_modules/lib/package.json': manifest('lib', { dependencies: { other: '*' } }),
      'node_modules/lib/src/lib.al': `${lib}relationship ThingPart between(Thing, other/Part)\n`,
      'node_modules/other/package.json': manifest('other', { dependencies: { lib: '*' } }),
      'node_modules/other/src/other.al': 'module other\nentity Part { id Int @id }\n',
    },
    /^other 1\.0\.0 .*\nlib 1\.0\.0 /m,
  ],
  [
    'a model of the earlier surface names others, which lie beside it, in ./resolvers or in node_modules',
    {
      'model.platform':
        '{:name :Desk :version "0.0.1" :platform-version "current" :components [:Desk] :dependencies [[ticket "0.0.1"] [lib "1.0.0"]]}',
      'desk.platform':
        '(component :Desk)\n(entity :Note {:Id {:type :Int :guid true}})\n(relationship :NoteTicket {:meta {:between [:Note :Ticket/Ticket]}})',
      'resolvers/ticket/model.platform': '{:name :ticket :version "0.0.1" :platform-version "current" :components [:Ticket]}',
      'resolvers/ticket/ticket.platform': '(component :Ticket)\n(entity :Ticket {:Id {:type :Int :guid true}})',
      'node_modules/lib/src/lib.al': lib,
    },
    /^ticket 0\.0\.1 {2}Ticket [\s\S]*lib 1\.0\.0 {2}lib /m,
  ],
];
test.each(found)('%s', async (_, files, out) => {
  const folder = project(files);
  const listed = await command(folder, 'packages');
  expect([listed.code, listed.err.replace(/^\d+ packages?\n/, '')]).toEqual([0, '']);
  expect(listed.out).toMatch(out);
  expect((await command(folder, 'check')).code).toBe(0);
});

const faults: readonly [title: string, files: Readonly<Record<string, string>>, told: RegExp][] = [
  [
    'a fault in a package is told with its name and place',
    { 'package.json': main({ lib: '*' }), 'src/app.al': app, 'node_modules/lib/src/lib.al': `${lib}entity Other { id Nit @id }` },
    /node_modules\/lib\/src\/lib\.al:3:\d+ +error +type-unknown +package lib: /,
  ],
  [
    'two modules of one name are told with both places',
    {
      'package.json': main({ lib: '*' }),
      'src/app.al': app,
      'src/lib.al': 'module lib\nentity Own { id Int @id }',
      'node_modules/lib/src/lib.al': lib,
    },
    /src\/lib\.al:1:8 +error +package-module-repeated +there is already a module `lib`, of the package lib \(.*node_modules\/lib\/src\/lib\.al\)/,
  ],
  [
    'a module of a package that is not installed is told once, with what to do',
    {
      'src/app.al':
        'module app\nevent go {}\nworkflow go { {jira/Issue {title "a"}}; {jira/Issue {title "b"}}; {slack/Message {text "c"}} }',
    },
    /package-missing +there is no module `jira`[\s\S]*npm install[\s\S]*there is no module `slack`[\s\S]*2 errors/,
  ],
];
test.each(faults)('%s', async (_, files, told) => {
  const { code, out } = await command(project(files), 'check');
  expect(code).toBe(1);
  expect(out).toMatch(told);
});

test('another version than the one that is asked for is a warning', async () => {
  const folder = project({
    'package.json': main({ lib: '^2.0.0' }),
    'src/app.al': app,
    'node_modules/lib/package.json': manifest('lib'),
    'node_modules/lib/src/lib.al': lib,
  });
  const { code, out } = await command(folder, 'check');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/package\.json:1:\d+ +warning +package-version +the package lib is there in version 1\.0\.0, not \^2\.0\.0/),
  ]);
});

test('a dependency that holds no model is no package', async () => {
  const folder = project({
    'package.json': main({ plain: '*', missing: '*', '../up': '*' }),
    'src/app.al': 'module app\nentity Note { id Int @id }',
    'node_modules/plain/package.json': manifest('plain'),
  });
  expect(await command(folder, 'packages')).toEqual({ code: 0, out: '', err: '0 packages\n' });
});

test('the example staff has the package people-directory, also without an installation', async () => {
  const folder = project({});
  for (const each of ['staff', 'packages']) cpSync(join(root, 'examples', each), join(folder, each), { recursive: true });
  const { code, out } = await command(folder, 'packages', 'staff');
  expect([code, out]).toEqual([0, 'people-directory 1.0.0  people  packages/people-directory\n']);
});
