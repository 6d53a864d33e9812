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

const wanting = { 'package.json': main({ lib: '*' }), 'src/app.al': app, 'node_modules/lib/package.json': manifest('lib') };
const withText = (text: string) => ({ ...wanting, 'node_modules/lib/src/lib.al': `${lib}${text}` });
const resolving = {
  ...wanting,
  'node_modules/lib/src/lib.al': `${lib.replace('\n', '\nimport "store.js" @as store\n')}resolver things [lib/Thing] { query store.find }\n`,
};
const desk = (model: string) => ({
  'model.platform': '{:name :Desk :version "0.0.1" :platform-version "current" :components [:Desk] :dependencies [[ticket "0.0.1"]]}',
  'desk.platform': '(component :Desk)\n(entity :Note {:Id {:type :Int :guid true}})',
  'ticket/model.platform': '{:name :ticket :version "0.0.1" :platform-version "current" :components [:Ticket]}',
  'ticket/ticket.platform': model,
});

const faults: readonly [title: string, files: Readonly<Record<string, string>>, told: RegExp][] = [
  [
    'a type of a package that there is not is told with its name and place',
    withText('entity Other { id Nit @id }'),
    /node_modules\/lib\/src\/lib\.al:3:19 +error +type-unknown +package lib: there is no type `Nit`/,
  ],
  [
    'a fault of syntax in a package',
    withText('entity Other { id Int @id\n'),
    /node_modules\/lib\/src\/lib\.al:4:1 +error +token-unexpected +package lib: expected `}`/,
  ],
  [
    'a fault of syntax in a package of the earlier surface',
    desk('(component :Ticket)\n(entity :Ticket {:Id {:type :Int :guid true}}'),
    /ticket\/ticket\.platform:2:1 +error +token-unexpected +package ticket: nothing closes this/,
  ],
  [
    'a reference of a package to what there is not, in itself or in the project',
    withText('workflow a { {Nothing? {}} }\nworkflow b { {app/Nothing? {}} }\n'),
    /lib\.al:3:15 +error +name-unknown +package lib: [\s\S]*lib\.al:4:15 +error +name-unknown +package lib: .*`app\/Nothing`/,
  ],
  [
    'a reference of a package to a package that it does not have',
    withText('relationship R between(Thing, other/Part)\n'),
    /lib\.al:3:31 +error +package-missing +package lib: there is no module `other`/,
  ],
  [
    'a name that a package declares twice',
    withText('entity Thing { id Int @id }\n'),
    /lib\.al:3:8 +error +name-repeated +package lib: the name `Thing` is declared twice/,
  ],
  [
    'two modules of one name are told with both places',
    { ...withText(''), 'src/lib.al': 'module lib\nentity Own { id Int @id }' },
    /src\/lib\.al:1:8 +error +package-module-repeated +there is already a module `lib`, of the package lib \(.*node_modules\/lib\/src\/lib\.al\)/,
  ],
  [
    'two packages with a module of one name are told with both places',
    {
      ...withText(''),
      'package.json': main({ lib: '*', twin: '*' }),
      'node_modules/twin/src/twin.al': 'module lib\nentity Own { id Int @id }',
    },
    /twin\.al:1:8 +error +package-module-repeated +package twin: there is already a module `lib`, of the package lib \(.*node_modules\/lib\/src\/lib\.al\)/,
  ],
  [
    'a component of the project and of a model that it names',
    {
      ...desk(''),
      'ticket/model.platform': '{:name :ticket :version "0.0.1" :platform-version "current" :components [:Desk]}',
      'ticket/desk.platform': '(component :Desk)\n(entity :Ticket {:Id {:type :Int :guid true}})',
    },
    /desk\.platform:1:12 +error +package-module-repeated +there is already a module `Desk`, of the package ticket \(.*ticket\/desk\.platform\)/,
  ],
  [
    'a package whose resolver imports a module that is not there',
    resolving,
    /lib\.al:2:8 +error +import-unreadable +package lib: store\.js cannot be loaded: there is no such file/,
  ],
  [
    'a package whose resolver names a function that its module does not have',
    { ...resolving, 'node_modules/lib/src/store.js': 'export const other = () => [];' },
    /lib\.al:4:\d+ +error +function-unknown +package lib: store\.js exports no function `find`/,
  ],
  [
    'a package whose module is no JavaScript',
    { ...resolving, 'node_modules/lib/src/store.js': 'export const find = (;' },
    /lib\.al:2:8 +error +import-unreadable +package lib: store\.js cannot be loaded: .*Error/,
  ],
  [
    'a package whose package.json is no JSON',
    { ...withText(''), 'node_modules/lib/package.json': '{' },
    /node_modules\/lib\/package\.json:1:1 +error +file-unreadable +package lib: package\.json is not JSON/,
  ],
  [
    'a fault in a package of a package',
    {
      ...withText(''),
      'node_modules/lib/package.json': manifest('lib', { dependencies: { deep: '^3.0.0' } }),
      'node_modules/lib/node_modules/deep/package.json': manifest('deep'),
      'node_modules/lib/node_modules/deep/src/deep.al': 'module deep\nentity Bad { id Nit @id }\n',
    },
    /warning +package-version +package lib: the package deep is there in version 1\.0\.0, not \^3\.0\.0[\s\S]*deep\.al:2:17 +error +type-unknown +package deep: |deep\.al:2:17 +error +type-unknown +package deep: [\s\S]*warning +package-version +package lib: the package deep/,
  ],
  [
    'a model that model.platform names and that is nowhere is told once, with where to put it',
    { 'model.platform': desk('')['model.platform'], 'desk.platform': desk('')['desk.platform'] },
    /^model\.platform:1:94 +error +project-dependency +there is no model ticket\n[\s\S]*put its folder beside the project[\s\S]*\n1 error\n/,
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

test('models that name each other in a circle are each there once', async () => {
  const files = desk('(component :Ticket)\n(entity :Ticket {:Id {:type :Int :guid true}})');
  const model = '{:name :ticket :version "0.0.1" :platform-version "current" :components [:Ticket] :dependencies [[desk "0.0.1"]]}';
  const folder = project({
    'desk/model.platform': files['model.platform'],
    'desk/desk.platform': files['desk.platform'],
    'ticket/model.platform': model,
    'ticket/ticket.platform': files['ticket/ticket.platform'],
  });
  const { code, out } = await command(folder, 'packages', 'desk');
  expect([code, out]).toEqual([0, 'ticket 0.0.1  Ticket  ticket\n']);
  expect((await command(folder, 'check', 'desk')).out).toBe('Desk 0.0.1: 2 entities, 0 relationships, no errors\n');
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
