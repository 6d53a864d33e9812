// Reads config.edn: one map, whose keys and values (`:h2` is the embedded store) become those of the table of settings; `#$ VAR` takes a value from the environment.

import { type Diagnostic, diagnostic, hasErrors } from '../../diagnostics.ts';
import { type Form, isKeyword, pairsOf, unquoted } from '../../language/earlier/read/form.ts';
import { readForms } from '../../language/earlier/read/read.ts';
import type { Name } from '../../model/pattern.ts';
import type { Source, Span } from '../../source.ts';
import { rows } from '../config.ts';
import { type ConfigRead, warnUnset } from '../current.ts';
import type { Environment } from '../expression.ts';
import { type ConfigInstance, namesType } from '../instances.ts';
import type { ConfigEntry, ConfigValue } from '../setting.ts';

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
    return { value: undefined, instances: [], diagnostics: run.diagnostics };
  }
  const form = unquoted(last);
  if (form.kind !== 'map') return { value: readValue(form, run), instances: [], diagnostics: run.diagnostics };
  const pairs = pairsOf(form);
  const given = pairs.flatMap((pair) => instancesAt(pair).flatMap((each) => readInstances(each, run)));
  const instances = [...given, ...pairs.flatMap(agentDocuments)];
  const settings = pairs.flatMap((pair) => (instancesAt(pair).length > 0 || agentDocuments(pair).length > 0 ? [] : settingsAt(pair)));
  const value = { kind: 'map', entries: settings.flatMap((each) => entryOf(each.key, each.value, run)), span: form.span } as const;
  return { value: translated(value, run), instances, diagnostics: run.diagnostics };
}

type Pair = ReturnType<typeof pairsOf>[number];

/** Settings may all stand under `:platform`. */
function settingsAt({ key, value }: Pair): readonly Pair[] {
  return isKeyword(key) && key.name === 'platform' && value.kind === 'map' ? pairsOf(value) : [{ key, value }];
}

/** Instances stand by their types, or in maps and vectors of such; none where it is a setting. */
function instancesAt(pair: Pair): readonly Pair[] {
  if (isKeyword(pair.key) && namesType(pair.key.name)) return [pair];
  const maps = pair.value.kind === 'vector' ? pair.value.items : [pair.value];
  const pairs = maps.flatMap((each) => (each.kind === 'map' ? pairsOf(each) : []));
  return pairs.length > 0 && pairs.every(({ key }) => isKeyword(key) && namesType(key.name)) ? pairs : [];
}

/** A value that is not there is an attribute that is not given. */
function readInstances({ key, value }: Pair, run: Run): readonly ConfigInstance[] {
  if (!isKeyword(key)) return [];
  const type = { text: key.name, span: key.span };
  const all = value.kind === 'vector' ? value.items : [value];
  return all.flatMap((each): readonly ConfigInstance[] => {
    if (each.kind !== 'map') return fault(run, each.span, `\`:${key.name}\` is put in place by a map of its attributes`) ?? [];
    const unset: Name[] = [];
    const attributes = pairsOf(each).flatMap((pair) => {
      const before = run.diagnostics.length;
      const name = isKeyword(pair.key) ? pair.key.name : '';
      const lenient: Run = { ...run, unset: (span) => warnUnset(run, `:${key.name} :${name}`, span) };
      const found = entryOf(pair.key, pair.value, lenient);
      if (found.length === 0 && !hasErrors(run.diagnostics.slice(before))) unset.push({ text: name, span: pair.key.span });
      return found;
    });
    return [{ type, attributes, unset, span: each.span }];
  });
}

/** `:agent-documents {"clerk" ["file://docs/rules.md"]}`: documents of agents, which go by their addresses. */
function agentDocuments({ key, value }: Pair): readonly ConfigInstance[] {
  if (!isKeyword(key, 'agent-documents') || value.kind !== 'map') return [];
  return pairsOf(value).flatMap(({ key: agent, value: urls }) => {
    const name = isKeyword(agent) ? agent.name : agent.kind === 'text' ? agent.value : undefined;
    return (urls.kind === 'vector' && name !== undefined ? urls.items : []).flatMap((each): readonly ConfigInstance[] => {
      if (each.kind !== 'text' || name === undefined) return [];
      const { span } = each;
      const entry = (attribute: string, text: string) => ({
        key: attribute,
        keySpan: span,
        value: { kind: 'scalar', value: text, span } as const,
      });
      const attributes = [entry('Title', each.value), entry('Uri', each.value), entry('Agent', name)];
      return [{ type: { text: 'Platform.Core/Document', span }, attributes, unset: [], span }];
    });
  });
}

interface Run {
  /** Absent when nothing is to be looked up. */
  readonly environment: Environment | undefined;
  readonly diagnostics: Diagnostic[];
  /** Told of variables that are not set, where that is no fault. */
  readonly unset?: (span: Span) => void;
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
  if (run.unset !== undefined) return run.unset(span) ?? undefined;
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

/** Whoever configures authentication wants it, unless the map says otherwise. */
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
