// Reads config.edn: one map, whose keys and values (`:h2` is the embedded store) become those of the table of settings; `#$ VAR` takes a value from the environment.

import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { type Form, isKeyword, pairsOf, unquoted } from '../language/earlier/form.ts';
import { readForms } from '../language/earlier/read.ts';
import type { Source, Span } from '../source.ts';
import { rows } from './config.ts';
import type { ConfigRead } from './current.ts';
import type { Environment } from './expression.ts';
import type { ConfigEntry, ConfigValue } from './setting.ts';

/** The map under the keys of the table, as it is written: a variable of the environment is the text that config.al has for it. */
export function combineEarlierConfig(source: Source): ConfigRead {
  return readConfig(source, undefined);
}

export function readEarlierConfig(source: Source, environment: Environment): ConfigRead {
  return readConfig(source, environment);
}

function readConfig(source: Source, environment: Environment | undefined): ConfigRead {
  const { forms, diagnostics } = readForms(source);
  const run: Run = { environment, diagnostics: [...diagnostics] };
  const last = forms.at(-1);
  if (last === undefined) {
    const message = 'the configuration is empty';
    const span = { source, start: 0, end: 0 };
    if (run.diagnostics.length === 0)
      run.diagnostics.push(diagnostic('config-invalid', span, message, 'write at least {:service {:port 8080}}'));
    return { value: undefined, diagnostics: run.diagnostics };
  }
  const value = readValue(unquoted(last), run);
  return { value: value?.kind === 'map' ? translated(value, run) : value, diagnostics: run.diagnostics };
}

interface Run {
  /** Absent when nothing is to be looked up. */
  readonly environment: Environment | undefined;
  readonly diagnostics: Diagnostic[];
}

function fault(run: Run, span: Span, message: string, suggestion?: string): undefined {
  run.diagnostics.push(diagnostic('config-invalid', span, message, suggestion));
  return undefined;
}

function readValue(form: Form, run: Run): ConfigValue | undefined {
  const { span } = form;
  switch (form.kind) {
    case 'nil':
      return { kind: 'scalar', value: null, span };
    case 'boolean':
    case 'number':
    case 'text':
    case 'character':
      return { kind: 'scalar', value: form.value, span };
    case 'keyword':
      return { kind: 'scalar', value: form.name, span };
    case 'vector':
    case 'set':
      return { kind: 'list', items: form.items.flatMap((each) => readValue(each, run) ?? []), span };
    case 'map':
      return { kind: 'map', entries: pairsOf(form).flatMap(({ key, value }) => entryOf(key, value, run)), span };
    case 'quote':
      return readValue(form.form, run);
    case 'tagged':
      return form.tag === '$' ? variable(form.form, span, run) : fault(run, span, `\`#${form.tag}\` means nothing in a configuration`);
    default:
      return fault(
        run,
        span,
        'a configuration consists of plain values',
        'a value of the environment is `#$ NAME`, or `#$ [NAME "fallback"]`',
      );
  }
}

function entryOf(key: Form, value: Form, run: Run): readonly ConfigEntry[] {
  if (!isKeyword(key) && key.kind !== 'text') return fault(run, key.span, 'keys of a configuration are keywords') ?? [];
  const found = readValue(value, run);
  return found === undefined ? [] : [{ key: isKeyword(key) ? key.name : key.value, keySpan: key.span, value: found }];
}

/** `#$ VAR`, `#$ [VAR "fallback"]`. */
function variable(form: Form, span: Span, run: Run): ConfigValue | undefined {
  const [name, fallback] = form.kind === 'vector' ? form.items : [form];
  if (name?.kind !== 'symbol' && name?.kind !== 'keyword' && name?.kind !== 'text')
    return fault(run, span, 'the name of a variable is expected');
  const variableName = name.kind === 'text' ? name.value : name.name;
  if (run.environment === undefined) return symbolic(variableName, fallback === undefined ? undefined : readValue(fallback, run), span);
  const found = run.environment[variableName];
  if (found !== undefined) return { kind: 'scalar', value: found === 'true' ? true : found === 'false' ? false : found, span };
  if (fallback !== undefined) return readValue(fallback, run);
  run.diagnostics.push(
    diagnostic(
      'config-expression',
      span,
      `the environment variable ${variableName} is not set`,
      `give a fallback: #$ [${variableName} "value"]`,
    ),
  );
  return undefined;
}

function symbolic(name: string, fallback: ConfigValue | undefined, span: Span): ConfigValue {
  const given = fallback?.kind === 'scalar' ? ` ?? ${JSON.stringify(fallback.value)}` : '';
  return { kind: 'scalar', value: `#js process.env.${name}${given}`, span };
}

/** By their name in config.edn. */
const keys: ReadonlyMap<string, string> = new Map([
  ...rows.map((row): [string, string] => [row.earlier, row.key]),
  // A slip of the pen that has made it into documentation, and other names of the predecessor.
  ['rbac-enbled', 'rbac.enabled'],
  ['enable-audit-trail', 'auditTrail.enabled'],
  ['service.cors-allow-origin', 'service.cors.origins'],
]);

const sections: ReadonlySet<string> = new Set([...keys.keys()].flatMap(prefixes));

/** Keys of the predecessor that mean nothing here. */
const ignored = new Set([
  'logging',
  'nrepl',
  'script-extn',
  'component-root',
  'model-paths',
  'full-model-path',
  'load-model-from-resource',
  'init-schema?',
  'init-data',
  'embeddings',
  'agent-documents',
  'deploy',
  'build',
  'db:migrate',
  'interceptors',
  'service.thread',
  'service.call-post-sign-up-event',
  'store.decrypt-fn',
  'store.always-init',
  'graphql.schema-path',
]);

/** The same values under the keys of the table. */
function translated(map: Extract<ConfigValue, { kind: 'map' }>, run: Run): ConfigValue {
  const root: Folder = new Map();
  place(map, '', root, run);
  return mapOf(root, map.span);
}

type Folder = Map<string, { readonly keySpan: Span; readonly values: readonly ConfigValue[]; readonly inside: Folder }>;

function place(map: Extract<ConfigValue, { kind: 'map' }>, prefix: string, root: Folder, run: Run): void {
  for (const { key, keySpan, value } of map.entries) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const known = keys.get(path);
    if (isForeign(path, map)) warn(run, path, keySpan);
    else if (known !== undefined) put(root, known.split('.'), keySpan, adapted(known, value));
    else if (path === 'authentication' && value.kind === 'map') placeAuthentication(value, keySpan, root, run);
    else if (sections.has(path) && value.kind === 'map') {
      put(root, sectionKey(path).split('.'), keySpan);
      place(value, path, root, run);
    } else if (ignored.has(path) || path.includes('/')) warn(run, path, keySpan);
    else put(root, [...(prefix === '' ? [] : sectionKey(prefix).split('.')), key], keySpan, value);
  }
}

/** Whoever configures authentication wants it, unless the map says otherwise (decisions 4.6). */
function placeAuthentication(map: Extract<ConfigValue, { kind: 'map' }>, keySpan: Span, root: Folder, run: Run): void {
  if (!map.entries.some((each) => each.key === 'enabled')) {
    put(root, ['auth', 'enabled'], keySpan, { kind: 'scalar', value: true, span: map.span });
  }
  place(map, 'authentication', root, run);
}

/** The embedded store has no users. */
function isForeign(path: string, map: Extract<ConfigValue, { kind: 'map' }>): boolean {
  const type = map.entries.find((each) => each.key === 'type')?.value;
  const isEmbedded = type?.kind === 'scalar' && type.value === 'h2';
  return isEmbedded && ['store.username', 'store.password', 'store.host', 'store.port'].includes(path);
}

function warn(run: Run, path: string, span: Span): void {
  run.diagnostics.push(diagnostic('config-key-ignored', span, `:${path.replaceAll('.', ' :')} has no meaning here and is ignored`));
}

function adapted(key: string, value: ConfigValue): ConfigValue {
  return key === 'store.type' && value.kind === 'scalar' && value.value === 'h2' ? { ...value, value: 'sqlite' } : value;
}

/** The name of a section in config.al. */
function sectionKey(path: string): string {
  const inside = [...keys].find(([earlier]) => earlier.startsWith(`${path}.`));
  return inside === undefined ? path : inside[1].split('.').slice(0, path.split('.').length).join('.');
}

function put(root: Folder, path: readonly string[], keySpan: Span, value?: ConfigValue): void {
  const [first = '', ...rest] = path;
  const entry = root.get(first) ?? { keySpan, values: [], inside: new Map() };
  root.set(first, rest.length === 0 && value !== undefined ? { ...entry, keySpan, values: [...entry.values, value] } : entry);
  if (rest.length > 0) put(entry.inside, rest, keySpan, value);
}

function mapOf(folder: Folder, span: Span): ConfigValue {
  const entries = [...folder].flatMap(([key, { keySpan, values, inside }]): readonly ConfigEntry[] => {
    if (values.length === 0) return [{ key, keySpan, value: mapOf(inside, keySpan) }];
    return values.map((value) => ({ key, keySpan, value }));
  });
  return { kind: 'map', entries, span };
}

function prefixes(key: string): readonly string[] {
  const parts = key.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
