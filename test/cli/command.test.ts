// The command: help, mistakes, check, format, init.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import picocolors from 'picocolors';
import { afterAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { refusal } from '../../src/cli/refusal.ts';
import { report } from '../../src/cli/report.ts';
import type { Diagnostic } from '../../src/diagnostics.ts';
import { error } from '../../src/errors.ts';
import { StartRefused } from '../../src/store/store.ts';
import { command, root, type Workspace, workspace } from './harness.ts';

const opened: Workspace[] = [];
afterAll(() => {
  for (const each of opened) each.remove();
});

function open(files: Readonly<Record<string, string>> = {}): Workspace {
  const made = workspace(files);
  opened.push(made);
  return made;
}

const good = 'module shop\n\nentity Item {\n  name String @id\n}\n';

describe('help and mistakes', () => {
  const helpful: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
    [['--help'], /Commands:[\s\S]*run[\s\S]*check[\s\S]*format[\s\S]*init/],
    [[], /Usage: platform/],
    [['run', '--help'], /--port <number>[\s\S]*--watch[\s\S]*\$ platform run/],
    [['check', '--help'], /--json[\s\S]*\$ platform check/],
    [['format', '--help'], /--check[\s\S]*\$ platform format/],
    [['init', '--help'], /\$ platform init/],
    [['help', 'run'], /--watch/],
    [['--version'], new RegExp(`^${manifest.version.replaceAll('.', '\\.')}$`, 'm')],
  ];
  for (const [argv, says] of helpful) {
    test(`platform ${argv.join(' ')} helps and exits 0`, async () => {
      const { code, out, err } = await command(root, ...argv);
      expect(out).toMatch(says);
      expect([code, err]).toEqual([0, '']);
    });
  }

  const mistakes: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
    [['rnu'], /unknown command 'rnu'.*run/],
    [['bogus', '--help'], /unknown command 'bogus'/],
    [['rnu', '-h'], /unknown command 'rnu'.*run/],
    [['help', 'bogus'], /unknown command 'bogus'/],
    [['migrate'], /migrate wants a word more: plan, apply, status, undo, purge; see platform --help/],
    [['store'], /store wants a word more: copy/],
    [['run', '--prot', '1'], /unknown option '--prot'.*--port/],
    [['run', '--port', 'x'], /--port.*0 to 65535/],
    [['run', '--port', '70000'], /--port.*0 to 65535/],
    [['run', '--port'], /argument missing/],
    [['run', 'a', 'b'], /too many arguments/],
    [['init'], /missing required argument 'project'/],
  ];
  for (const [argv, says] of mistakes) {
    test(`platform ${argv.join(' ')} is one clear line and exit 2`, async () => {
      const { code, out, err } = await command(root, ...argv);
      expect(err).toMatch(says);
      expect([code, out, err.trimEnd().split('\n').length]).toEqual([2, '', 1]);
    });
  }
});

describe('check', () => {
  test('a model without faults exits 0 and says what it is', async () => {
    const { folder } = open({ 'src/core.al': good, 'package.json': '{"name": "shop", "version": "1.2.0"}' });
    expect(await command(folder, 'check')).toEqual({ code: 0, out: 'shop 1.2.0: 1 entity, 0 relationships, no errors\n', err: '' });
  });

  test('faults of model and configuration are shown with line, caret and suggestion, and exit 1', async () => {
    const { folder } = open({ 'src/core.al': good.replace('String', 'Strng'), 'config.al': '{"service": {"prot": 1}}\n' });
    const { code, out } = await command(folder, 'check');
    expect(code).toBe(1);
    expect(out).toContain(
      'config.al:1:14  error  config-key-unknown  there is no setting service.prot\n    {"service": {"prot": 1}}\n                 ^\n',
    );
    expect(out).toMatch(/src\/core\.al:4:8 {2}error {2}type-unknown .*\n {6}name Strng @id\n {11}\^\n.*String/);
    expect(out.trimEnd().split('\n').at(-1)).toBe('2 errors');
  });

  test('--json prints an array of {file, line, column, code, severity, message, suggestion?}', async () => {
    const { folder } = open({ 'src/core.al': good, 'config.al': '{"service": {"prot": 1}, "logging": {}}' });
    const { code, out } = await command(folder, 'check', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual([
      {
        file: 'config.al',
        line: 1,
        column: 14,
        code: 'config-key-unknown',
        severity: 'error',
        message: 'there is no setting service.prot',
        suggestion: 'did you mean "port"?',
      },
      expect.objectContaining({ code: 'config-key-ignored', severity: 'warning', suggestion: 'use log.level' }),
    ]);
  });

  test('--json prints an empty array when there is nothing to say', async () => {
    const { folder } = open({ 'src/core.al': good });
    expect(await command(folder, 'check', '--json')).toEqual({ code: 0, out: '[]\n', err: '' });
  });

  test('a warning alone exits 0', async () => {
    const { folder } = open({ 'src/core.al': good, 'config.al': '{"logging": {"level": "info"}}' });
    const { code, out } = await command(folder, 'check');
    expect(code).toBe(0);
    expect(out).toMatch(/warning {2}config-key-ignored/);
  });

  test('another folder, a single file and another configuration can be named', async () => {
    const { folder } = open({ 'shop/src/core.al': good, 'one.al': good, 'bad.al': '{"x": 1}' });
    expect((await command(folder, 'check', 'shop')).code).toBe(0);
    expect((await command(folder, 'check', 'one.al')).code).toBe(0);
    expect((await command(folder, 'check', 'shop', '-c', 'bad.al')).code).toBe(1);
    expect((await command(folder, 'check', 'nowhere')).code).toBe(1);
  });

  const imports = 'module m\nimport "rates.js" @as rates\nentity E {\n  id Int @id @check(rates.vald)\n}\n';
  const functions: readonly (readonly [title: string, files: Readonly<Record<string, string>>, expected: readonly string[]])[] = [
    [
      'a file that is not there, of which nobody says that it is not used',
      { 'src/core.al': 'module m\nimport "rates.js" @as rates\nentity E { id Int @id }\n' },
      ['2:8 import-unreadable rates.js cannot be loaded: there is no such file'],
    ],
    [
      'a file that cannot be loaded',
      { 'src/core.al': imports, 'src/rates.js': 'throw new RangeError("no rates\\nat all");' },
      ['2:8 import-unreadable rates.js cannot be loaded: RangeError: no rates'],
    ],
    [
      'a check that the file does not export',
      { 'src/core.al': imports, 'src/rates.js': 'export const valid = () => true;' },
      ['4:21 function-unknown rates.js exports no function `vald` | did you mean `rates.valid`?'],
    ],
    [
      'what the file exports and is no function',
      { 'src/core.al': imports, 'src/rates.js': 'export const vald = 1;' },
      ['4:21 function-unknown rates.js exports no function `vald`'],
    ],
    [
      'a call in a workflow, beside the other faults of the model',
      {
        'src/core.al': 'module m\nimport "rates.ts" @as rates\nworkflow w {\n  rates.load(1)\n}\nentity E { id Itn }\n',
        'src/rates.ts': 'export function lod(value: number): number { return value; }',
      },
      ['4:3 function-unknown rates.ts exports no function `load` | did you mean `rates.lod`?', '6:15 type-unknown'],
    ],
  ];
  for (const [title, files, expected] of functions) {
    test(`functions that are missing are faults: ${title}`, async () => {
      const { code, out } = await command(open(files).folder, 'check', '--json');
      const found: readonly Diagnostic[] = JSON.parse(out);
      const shown = found.map(
        (each) => `${each.line}:${each.column} ${each.code} ${each.message}${each.suggestion === undefined ? '' : ` | ${each.suggestion}`}`,
      );
      expect([code, shown]).toEqual([1, expected.map((each) => expect.stringContaining(each))]);
    });
  }

  /** What the module is called, what it says, and what of it may not be done twice. */
  const modules: readonly (readonly [title: string, file: string, text: string, effect: string | undefined])[] = [
    ['a call', 'f.js', 'export const send = (x) => { fetch("http://a", { body: x }); return x; };', 'the module calls `fetch`'],
    ['a call of the global object', 'f.js', 'export const send = (x) => { globalThis.fetch(x); };', 'the module calls `fetch`'],
    [
      'a call that is waited for',
      'f.ts',
      'export const send = async (x: string): Promise<number> => (await fetch(x)).status;',
      'the module calls `fetch`',
    ],
    [
      'a call behind a text and a comment',
      'f.js',
      'export const send = (x) => "a\\"" + /* why */ fetch(`/y`);',
      'the module calls `fetch`',
    ],
    ['a call as one of two ways', 'f.js', 'export const send = (x) => (x ? fetch(x) : null);', 'the module calls `fetch`'],
    [
      'a module for files',
      'f.js',
      "import { writeFileSync } from 'node:fs';\nexport const send = (x) => writeFileSync('a', x);",
      'the module imports `node:fs`',
    ],
    [
      'a module for files, without its scheme',
      'f.js',
      "import * as fs from 'fs/promises';\nexport const send = (x) => fs.rm(x);",
      'the module imports `fs/promises`',
    ],
    [
      'a module for processes',
      'f.ts',
      "import { execSync } from 'node:child_process';\nexport const send = (x: string): void => void execSync(x);",
      'the module imports `node:child_process`',
    ],
    [
      'a module for the network that is imported in a call',
      'f.js',
      "export const send = async (x) => (await import('node:net')).connect(x);",
      'the module imports `node:net`',
    ],
    ['a module that it imports', 'f.js', "import { put } from './g.js';\nexport const send = (x) => put(x);", 'the module calls `fetch`'],
    [
      'nothing of the kind',
      'f.js',
      "import { createHash } from 'node:crypto';\nexport const send = (x) => createHash('sha256').update(x).digest('hex');",
      undefined,
    ],
    [
      'a comment',
      'f.js',
      "// fetch(x) is not called\n/*\nimport fs from 'node:fs';\nfetch(1)\n*/\nexport const send = (x) => x;",
      undefined,
    ],
    ['a text', 'f.js', "export const send = (x) => 'fetch(' + \"fetch(x)\" + `\nimport fs from 'fs'\nfetch(x)`;", undefined],
    [
      'a method of something else',
      'f.js',
      'const cache = new Map();\ncache.fetch = (x) => x;\nexport const send = (x) => cache.fetch(x) ?? cache?.fetch(x);',
      undefined,
    ],
    [
      'a method that is made',
      'f.ts',
      'class Cache { fetch(x: string): string { return x; } }\nexport const send = (x: string): string => { const { length } = x; return String(length) + prefetch(x); };\nconst prefetch = (x: string): string => x + String(Cache);',
      undefined,
    ],
    ['a function of its own', 'f.js', 'function fetch(x) { return x; }\nexport const send = (x) => fetch(x);', undefined],
    ['types', 'f.ts', "import type { Stats } from 'node:fs';\nexport const send = (x: Stats | null): boolean => x === null;", undefined],
  ];
  const sending = 'module m\nimport "MODULE" @as f\nworkflow w { f.send("x") }\n';
  for (const [title, file, text, effect] of modules) {
    test(`what may not be done twice is to be declared: ${title}`, async () => {
      const own = { [`src/${file}`]: text, 'src/g.js': 'export const put = (x) => { fetch(x); };' };
      const checked = async (source: string): Promise<unknown> => {
        const { code, out } = await command(open({ ...own, 'src/core.al': source }).folder, 'check', '--json');
        return [code, JSON.parse(out)];
      };
      const source = sending.replace('MODULE', file);
      const warning = {
        file: join('src', 'core.al'),
        line: 2,
        column: 8,
        code: 'import-external',
        severity: 'warning',
        message: `${effect}: a function of \`f\` that gives no promise may be called twice for one request`,
        suggestion: 'write `@external` behind the name of the import',
      };
      expect(await checked(source)).toEqual([0, effect === undefined ? [] : [warning]]);
      expect(await checked(source.replace('@as f', '@as f @external'))).toEqual([0, []]);
    });
  }

  test('what may not be done twice is to be declared on the earlier surface too', async () => {
    const source =
      '(component :M)\n(import "f.js" :as :f)\n(entity :E {:Id {:type :Int :guid true}})\n(dataflow :W {:E {:Id \'(f/send 1)}})\n';
    const files = { 'model.platform': '{:name :shop :version "1.0.0" :components [:M]}', 'm.platform': source };
    const checked = async (text: string) =>
      (await command(open({ ...files, 'm.platform': text, 'f.js': 'export const send = (x) => !fetch(x);' }).folder, 'check')).out;
    expect(await checked(source)).toMatch(
      /^m\.platform:2:9 {2}warning {2}import-external {2}the module calls `fetch`: .*\n.*\n.*\n.*write `:external true` behind the name/,
    );
    expect(await checked(source.replace(':as :f', ':as :f :external true'))).not.toContain('import-external');
  });

  test('Clojure of the model that acts on other systems is named too, as it may be called twice', async () => {
    const source = `(component :M {:clj-import '[(:require ["node:fs" :as fs] ["node:path" :as path])]})
(entity :E {:Id {:type :Int :guid true} :X {:type :String :check f}})
; (js/fetch "x")
(defn f [x] (js/fetch "http://127.0.0.1:1") (fs/writeFileSync "js/fetch" x) (path/join x) true)
`;
    const files = { 'model.platform': '{:name :shop :version "1.0.0" :components [:M]}', 'm.platform': source };
    const { code, out } = await command(open(files).folder, 'check', '--json');
    const found: readonly Diagnostic[] = JSON.parse(out);
    const told = found.filter((each) => each.code !== 'project-version-missing');
    expect([code, told.map(({ line, column, code: what, suggestion }) => [line, column, what, suggestion])]).toEqual([
      0,
      [
        [1, 40, 'import-external', 'call it in a module, and import that with `:external true`'],
        [4, 14, 'import-external', 'call it in a module, and import that with `:external true`'],
      ],
    ]);
  });

  test('handlers of resolvers are never called again, and need not be declared', async () => {
    const text = 'export const find = async () => (await fetch("http://a")).json();\nexport const valid = (x) => x !== "";';
    const source = 'module m\nimport "f.js" @as f\nentity E { id Int @id, x String @optional }\nresolver r [m/E] { query f.find }\n';
    const checked = async (more: string) => (await command(open({ 'src/f.js': text, 'src/core.al': source + more }).folder, 'check')).out;
    expect(await checked('')).not.toContain('import-external');
    expect(await checked('entity F { id Int @id, x String @check(f.valid) }\n')).toContain('import-external');
  });

  test.each(['blog', 'company', 'directory/current', 'directory/earlier', 'loyalty', 'members', 'newsroom', 'shop', 'staff', 'support'])(
    'the functions of the example %s say what they do',
    async (name) => {
      expect((await command(root, 'check', join('examples', name))).out).not.toContain('import-external');
    },
  );

  test('it changes nothing, also where a database has no name yet', async () => {
    const { folder } = open({ 'src/core.al': good, 'config.al': '{"store": {"type": "sqlite"}}' });
    expect((await command(folder, 'check')).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['config.al', 'src']);
  });

  test('the example has no faults', async () => {
    expect(await command(root, 'check', join('examples', 'blog'))).toMatchObject({
      code: 0,
      out: 'blog 1.0.0: 4 entities, 3 relationships, no errors\n',
    });
  });
});

describe('report', () => {
  const at = { file: '/p/a.al', code: 'token-unexpected', severity: 'error', message: 'm' } as const;

  test('tabs stay tabs, so that the caret stands below its character', () => {
    const text = report([{ ...at, line: 1, column: 3 }], {
      sources: [{ file: '/p/a.al', text: '\t\tx' }],
      folder: '/p',
      colours: picocolors.createColors(false),
    });
    expect(text).toBe('a.al:1:3  error  token-unexpected  m\n    \t\tx\n    \t\t^\n1 error');
  });

  test('of a very long line the part around the place is shown', () => {
    const source = { file: '/p/a.al', text: `${'x'.repeat(5000)}!${'y'.repeat(5000)}` };
    const [, line = '', caret = ''] = report([{ ...at, line: 1, column: 5001 }], {
      sources: [source],
      folder: '/p',
      colours: picocolors.createColors(false),
    }).split('\n');
    expect(line.length).toBeLessThan(200);
    expect(line[caret.indexOf('^')]).toBe('!');
  });

  test('colours are used when they are wanted', () => {
    const text = report([{ ...at, line: 1, column: 1 }], { sources: [], folder: '/p', colours: picocolors.createColors(true) });
    expect(text).toContain('\u001b[31merror\u001b[39m');
  });
});

describe('format', () => {
  const untidy = 'module   shop\nentity Item{name String @id , price Decimal @optional}\n// the end\n';

  test('works in place, keeps comments, and twice equals once', async () => {
    const project = open({ 'src/core.al': untidy, 'src/tidy.al': 'module shop\n' });
    expect(await command(project.folder, 'format')).toEqual({ code: 0, out: `${join('src', 'core.al')}\n`, err: '' });
    const once = project.read('src/core.al');
    expect(once).toContain('// the end');
    expect(once).not.toBe(untidy);
    expect(await command(project.folder, 'format')).toEqual({ code: 0, out: '', err: '' });
    expect(project.read('src/core.al')).toBe(once);
  });

  test('--check names what would change, changes nothing, and exits 1', async () => {
    const project = open({ 'src/core.al': untidy });
    expect(await command(project.folder, 'format', '--check')).toEqual({ code: 1, out: `${join('src', 'core.al')}\n`, err: '' });
    expect(project.read('src/core.al')).toBe(untidy);
  });

  test('a file that does not parse is left alone and reported', async () => {
    const project = open({ 'src/bad.al': 'module shop\nentity {', 'src/core.al': untidy });
    const { code, out, err } = await command(project.folder, 'format');
    expect([code, out]).toEqual([1, `${join('src', 'core.al')}\n`]);
    expect(err).toMatch(/src\/bad\.al:2:8 {2}error/);
    expect(project.read('src/bad.al')).toBe('module shop\nentity {');
  });

  test('files can be named, also the configuration', async () => {
    const project = open({ 'src/core.al': untidy, 'config.al': '{"service":{"port":1}}' });
    expect((await command(project.folder, 'format', 'config.al')).code).toBe(0);
    expect(project.read('src/core.al')).toBe(untidy);
    expect((await command(project.folder, 'format', 'nowhere.al')).code).toBe(1);
  });

  test('the example is laid out as format does it', async () => {
    expect(await command(root, 'format', '--check', join('examples', 'blog'))).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('init', () => {
  test('makes a project that has no faults and is laid out as format does it', async () => {
    const { folder, read } = open();
    const { code, out } = await command(folder, 'init', 'my-shop');
    expect(code).toBe(0);
    expect(out).toContain('platform run my-shop');
    expect(readdirSync(join(folder, 'my-shop'), { recursive: true }).sort()).toEqual([
      '.gitignore',
      'README.md',
      'config.al',
      'package.json',
      'src',
      join('src', 'core.al'),
    ]);
    expect(JSON.parse(read('my-shop/package.json'))).toMatchObject({ name: 'my-shop', version: '0.1.0', type: 'module' });
    expect(read('my-shop/src/core.al')).toMatch(/^module my_shop\.core\n/);
    expect(await command(folder, 'check', 'my-shop')).toMatchObject({ code: 0, out: expect.stringContaining('no errors') });
    expect(await command(folder, 'format', '--check', 'my-shop')).toMatchObject({ code: 0 });
  });

  const names: readonly (readonly [project: string, module: string, manifest: string])[] = [
    ['shop', 'shop.core', 'shop'],
    ['3d', 'app_3d.core', '3d'],
    ['Müller', 'Muller.core', 'muller'],
    ['Straße Øst', 'Strasse_Ost.core', 'strasse-ost'],
    ['api', 'api.core', 'api'],
    ['event', 'event.core', 'event'],
    ['.hidden', 'hidden.core', 'hidden'],
    ['日本', 'app.core', 'app'],
  ];
  for (const [name, module, manifest] of names) {
    test(`a project may be called ${name}`, async () => {
      const { folder, read } = open();
      expect((await command(folder, 'init', name)).code).toBe(0);
      expect(read(`${name}/src/core.al`).split('\n')[0]).toBe(`module ${module}`);
      expect(JSON.parse(read(`${name}/package.json`)).name).toBe(manifest);
      expect(await command(folder, 'check', name)).toMatchObject({ code: 0 });
    });
  }

  const impossible: readonly (readonly [title: string, project: string, says: RegExp])[] = [
    ['where a file is', 'notes.txt', /^platform: no project can be made in notes\.txt: a file is in the way\n$/],
    ['below a file', 'notes.txt/shop', /^platform: no project can be made in notes\.txt\/shop: a file is in the way\n$/],
    ['where its folder src is a file', 'odd', /^platform: no project can be made in odd: a file is in the way\n$/],
  ];
  for (const [title, project, says] of impossible) {
    test(`a project that cannot be made is one clear line and exit 1: ${title}`, async () => {
      const { code, out, err } = await command(open({ 'notes.txt': 'mine', 'odd/src': 'mine' }).folder, 'init', project);
      expect(err).toMatch(says);
      expect([code, out]).toEqual([1, '']);
    });
  }

  test.runIf(process.platform === 'linux')('a system that takes no folder is told, and is not asked for ever', async () => {
    const { code, err } = await command(root, 'init', '/proc/x/shop');
    expect([code, err]).toEqual([1, expect.stringMatching(/^platform: no project can be made in \/proc\/x\/shop: .*\n$/)]);
  });

  test('what is to be typed next is quoted where a shell needs it', async () => {
    const { out } = await command(open().folder, 'init', "bad name! isn't");
    expect(out.trimEnd().split('\n').at(-1)).toBe(`Next:  platform run 'bad name! isn'\\''t'`);
  });

  test('never overwrites: a project that is there stays as it is', async () => {
    const { folder, read } = open();
    await command(folder, 'init', 'shop');
    const before = read('shop/src/core.al');
    const { code, out, err } = await command(folder, 'init', 'shop');
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('platform: there is already a project in shop (config.al); nothing was changed\n');
    expect(read('shop/src/core.al')).toBe(before);
  });

  test('never overwrites: other files of the folder are kept', async () => {
    const { folder, read } = open({ 'README.md': 'mine', 'other.txt': 'x' });
    const { code, out } = await command(folder, 'init', '.');
    expect([code, read('README.md'), read('other.txt')]).toEqual([0, 'mine', 'x']);
    expect(out).toMatch(/kept {5}README\.md/);
  });
});

const ofTheMachine: readonly (readonly [thrown: unknown, line: string | undefined])[] = [
  [error('store-full'), 'There is no space left to store this.'],
  [new StartRefused('There is no database.'), 'There is no database.'],
  [error('internal'), undefined],
  [new Error('a bug'), undefined],
];
for (const [thrown, line] of ofTheMachine) {
  test(`a failure is told in a line where it is the machine’s, and with its stack where it is a bug: ${String(thrown)}`, () => {
    expect(refusal(thrown)).toBe(line);
  });
}
