// Watches the files of a project and tells, once things are quiet, that something changed.

import { extname, join, relative, sep } from 'node:path';
import { watch as watchFiles } from 'chokidar';
import { lockName } from '../../config/lock-file.ts';
import type { Project } from '../../config/project.ts';

export interface Watcher {
  close(): Promise<void>;
}

/** Editors write a file in several steps: what happens within this time is one change. */
const quietMs = 80;

/**
 * Calls `onChange` after each change, never twice at a time; a change during a call is followed by another call.
 * `isChanged` tells whether something changed before the watch began.
 */
export function watch(project: Project, isChanged: () => Promise<boolean>, onChange: () => Promise<void>): Promise<Watcher> {
  const signal = oneAtATime(onChange);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watchFiles(watchedPaths(project), {
    ignoreInitial: true,
    ignored: (path, stats) => !isOfProject(path, project) || (stats?.isFile() === true && !extensions.has(extname(path))),
  });
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(signal, quietMs);
  });
  const close = async () => {
    clearTimeout(timer);
    await watcher.close();
  };
  return new Promise((resolve, reject) => {
    watcher.on('error', reject).once('ready', () => {
      isChanged().then((changed) => {
        if (changed) signal();
        resolve({ close });
      }, reject);
    });
  });
}

const extensions: ReadonlySet<string> = new Set(['.al', '.js', '.mjs', '.ts', '.json', '.platform', '.edn', '.clj', '.cljc']);

/** The folder rather than its files: a configuration may be made later. */
function watchedPaths({ folder, config, packages }: Project): string[] {
  const ofPackages = packages.flatMap((each) => each.sources.map(({ file }) => file));
  return [folder, ...(config === undefined ? [] : [config.file]), ...ofPackages];
}

function isOfProject(path: string, { folder, sources, config, surface, packages }: Project): boolean {
  const inside = relative(folder, path);
  const [first, ...rest] = inside.split(sep);
  if (inside === lockName) return false;
  const all = [...sources, ...packages.flatMap((each) => each.sources)];
  if (inside === '' || path === config?.file || all.some((source) => source.file === path)) return true;
  // Components stand where their names say, anywhere in the folder.
  if (surface === 'earlier') return first !== 'data' && [first, ...rest].every((part) => !part?.startsWith('.') && part !== 'node_modules');
  if (first !== 'src') return path === join(folder, 'config.al') || path === join(folder, 'package.json');
  return rest.every((part) => !part.startsWith('.') && part !== 'node_modules');
}

function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const start = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work();
    } while (again);
    running = false;
  };
  return () => {
    if (running) again = true;
    else void start();
  };
}
