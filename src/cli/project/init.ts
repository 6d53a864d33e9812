// `platform init <project>`: a small project that runs. Asks nothing and overwrites nothing.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isFolder, makeFolder } from '../../folders.ts';
import { shownPath } from '../report.ts';
import { quoted } from '../run/hints.ts';
import type { Terminal } from '../terminal.ts';

export function init(project: string, terminal: Terminal): number {
  const folder = resolve(terminal.folder, project);
  const occupant = ['config.al', 'model.platform', 'config.edn'].find((file) => existsSync(join(folder, file))) ?? modelFile(folder);
  if (occupant !== undefined) {
    terminal.err(`platform: there is already a project in ${shownPath(folder, terminal.folder)} (${occupant}); nothing was changed`);
    return 1;
  }
  try {
    makeFolder(join(folder, 'src'));
  } catch (thrown) {
    terminal.err(`platform: no project can be made in ${shownPath(folder, terminal.folder)}: ${reason(thrown)}`);
    return 1;
  }
  for (const [name, text] of files(basename(folder))) {
    const file = join(folder, name);
    const isKept = existsSync(file);
    if (!isKept) write(file, text);
    terminal.out(`${isKept ? 'kept   ' : 'created'}  ${shownPath(file, terminal.folder)}`);
  }
  terminal.out(`\nNext:  platform run ${shellWord(shownPath(folder, terminal.folder))}`);
  return 0;
}

/** As it is to be typed. */
function shellWord(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\p{L}\p{N}_./@%+:,-]+$/u.test(word) ? word : quoted(word);
}

function reason(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'a file is in the way';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'access is denied';
  return `its folder cannot be made (${code})`;
}

function modelFile(folder: string): string | undefined {
  const source = join(folder, 'src');
  const found = isFolder(source) ? readdirSync(source).find((file) => file.endsWith('.al')) : undefined;
  return found === undefined ? undefined : join('src', found);
}

function write(file: string, text: string): void {
  makeFolder(dirname(file));
  // Never over a file that has appeared meanwhile.
  writeFileSync(file, text, { flag: 'wx' });
}

function files(name: string): readonly (readonly [name: string, text: string])[] {
  const module = `${moduleName(name)}.core`;
  return [
    ['src/core.al', model(module)],
    ['config.al', config],
    ['package.json', manifest(name)],
    ['.gitignore', 'data/\nout/\nnode_modules/\n*.log\n'],
    ['README.md', readme(name, module)],
  ];
}

/** A project may be called `my-shop` or `Müller`; a module may not. */
function moduleName(name: string): string {
  const word = inAscii(name)
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(word) ? word : `app_${word}`.replace(/_$/, '');
}

/** Letters without their accents. */
function inAscii(name: string): string {
  const ligatures: Readonly<Record<string, string>> = {
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    Æ: 'Ae',
    Œ: 'Oe',
    Ø: 'O',
    Ł: 'L',
    Đ: 'D',
  };
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøłđÆŒØŁĐ]/g, (letter) => ligatures[letter] ?? letter);
}

/** Name and version of the application; `"type": "module"` makes its `.js` files what models import. */
function manifest(name: string): string {
  const word = inAscii(name)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '');
  const scripts = { start: 'platform run', dev: 'platform run --watch', check: 'platform check' };
  return `${JSON.stringify({ name: word === '' ? 'app' : word, version: '0.1.0', private: true, type: 'module', scripts }, undefined, 2)}\n`;
}

const config = '{"service": {"port": "#js process.env.PORT ?? 8080"}}\n';

function model(module: string): string {
  return `module ${module}

entity List {
  name String @id,
  created DateTime @default(now())
}

entity Task {
  id UUID @id @default(uuid()),
  title String,
  state @enum("open", "done") @default("open"),
  due Date @optional
}

relationship ListTask contains(List, Task)
`;
}

function readme(name: string, module: string): string {
  return `# ${name}

The model is in \`src/core.al\`, the settings are in \`config.al\`. Start the service in this folder, and it takes up every change of the model:

\`\`\`
platform run --watch
\`\`\`

Port 8080 is taken? \`platform run --watch --port 8090\`, or the variable \`PORT\`. Then, in another terminal, make a list with a task in it, and read both:

\`\`\`
curl http://localhost:8080/${module}/List -H 'Content-Type: application/json' -d '{"name": "home"}'
curl http://localhost:8080/${module}/List/home/ListTask/Task -H 'Content-Type: application/json' -d '{"title": "Water the plants"}'
curl http://localhost:8080/${module}/List/home
curl http://localhost:8080/${module}/List/home/ListTask/Task
\`\`\`

The data is kept in \`data/\`. \`platform check\` examines model and settings, \`platform format\` lays the text out.
`;
}
