// Holds the values of a configuration file against the table: what fits by key, and a diagnostic for everything that does not.

import { type Diagnostic, diagnostic, nearest } from '../diagnostics.ts';
import { rows, table } from './config.ts';
import type { ConfigEntry, ConfigValue, Setting } from './setting.ts';
import { isLoopback } from './settings/providers.ts';

export interface Checked {
  /** Values and sections by their key in config.al. */
  readonly given: ReadonlyMap<string, ConfigValue>;
  readonly diagnostics: readonly Diagnostic[];
}

export function checkConfig(config: ConfigValue): Checked {
  const state: State = { given: new Map(), entries: new Map(), diagnostics: [] };
  if (config.kind === 'map') checkSection('', config.entries, state);
  else state.diagnostics.push(diagnostic('config-invalid', config.span, 'the last value of the configuration must be a map', example));
  checkNeeds(state);
  return { given: state.given, diagnostics: state.diagnostics };
}

interface State {
  readonly given: Map<string, ConfigValue>;
  readonly entries: Map<string, ConfigEntry>;
  readonly diagnostics: Diagnostic[];
}

const example = 'a minimal configuration is {"service": {"port": 8080}}';

const rowOf: ReadonlyMap<string, Setting<unknown>> = new Map(rows.map((row) => [row.key, row]));

/** `service`, `service.limits`, ...: the maps that the keys of the table stand in. */
const sections: ReadonlySet<string> = new Set(rows.flatMap((row) => prefixes(row.key)));

function checkSection(prefix: string, entries: readonly ConfigEntry[], state: State): void {
  for (const entry of entries) {
    const key = prefix === '' ? entry.key : `${prefix}.${entry.key}`;
    if (state.entries.has(key)) {
      state.diagnostics.push(diagnostic('config-invalid', entry.keySpan, `${key} is given twice`));
      continue;
    }
    state.entries.set(key, entry);
    checkEntry(key, prefix, entry, state);
  }
}

function checkEntry(key: string, prefix: string, entry: ConfigEntry, state: State): void {
  const row = rowOf.get(key);
  if (row !== undefined) checkValue(row, entry, state);
  else if (sections.has(key)) {
    state.given.set(key, entry.value);
    if (entry.value.kind === 'map') checkSection(key, entry.value.entries, state);
    else state.diagnostics.push(diagnostic('config-value', entry.value.span, `${key} must be a map`));
  } else if (ignoredKeys.has(key)) {
    const instead = ignoredKeys.get(key);
    const suggestion = instead === undefined ? undefined : `use ${instead}`;
    state.diagnostics.push(diagnostic('config-key-ignored', entry.keySpan, `${key} has no meaning here and is ignored`, suggestion));
  } else state.diagnostics.push(diagnostic('config-key-unknown', entry.keySpan, `there is no setting ${key}`, suggest(key, prefix)));
}

function checkValue(row: Setting<unknown>, entry: ConfigEntry, state: State): void {
  const found = row.read(entry.value);
  if (found === undefined) {
    state.diagnostics.push(diagnostic('config-value', entry.value.span, `${row.key} must be ${row.type}`));
    return;
  }
  const faults = row.faults?.(entry.value) ?? [];
  for (const { code, span, message, suggestion } of faults) state.diagnostics.push(diagnostic(code, span, message, suggestion));
  if (faults.length > 0) return;
  state.given.set(row.key, entry.value);
}

/** Keys that make sense only beside another key, or for another store. */
function checkNeeds(state: State): void {
  const type = state.given.get(table.storeType.key);
  const store = (type && table.storeType.read(type)?.value) ?? table.storeType.default;
  for (const [key, entry] of state.entries) {
    const row = rowOf.get(key);
    if (row?.requires !== undefined && !state.entries.has(row.requires)) {
      state.diagnostics.push(diagnostic('config-value', entry.keySpan, `${key} needs ${row.requires} beside it`));
    }
    if (row?.store !== undefined && row.store !== store) {
      state.diagnostics.push(diagnostic('config-key-unknown', entry.keySpan, `${key} belongs to a store of type "${row.store}"`));
    }
  }
  if (store === 'postgres') checkPassword(state);
  checkAddress(state);
}

/** What leads browsers and readers of mails back here has to know where that is, and never believes a header. */
function checkAddress({ given, entries, diagnostics }: State): void {
  const host = textOf(table.host, given);
  const url = textOf(table.serviceUrl, given);
  const providers = entries.get(table.providers.key);
  for (const { key } of [table.providers, table.mailHost]) {
    const entry = entries.get(key);
    if (entry === undefined || url !== undefined || host === undefined || isLoopback(host)) continue;
    const message = `${key} needs service.url beside it, as service.host is not of this machine alone`;
    diagnostics.push(diagnostic('config-value', entry.keySpan, message, 'set it to the public address: "https://shop.example.com"'));
  }
  const address = given.get(table.serviceUrl.key);
  if (providers === undefined || address === undefined || url === undefined) return;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopback(hostname))
    diagnostics.push(diagnostic('config-value', address.span, 'service.url must begin with https where auth.providers is given'));
}

function textOf(row: Setting<string | undefined>, given: State['given']): string | undefined {
  const value = given.get(row.key);
  return (value === undefined ? undefined : row.read(value)?.value) ?? row.default;
}

/** The password that everybody knows is for a server on the same machine. */
function checkPassword({ given, diagnostics }: State): void {
  const host = given.get(table.storeHost.key);
  const isLocal = /^(localhost|127(\.\d+){3}|::1|\/.*)$/.test(textOf(table.storeHost, given) ?? '');
  if (host === undefined || isLocal || textOf(table.storePassword, given) !== table.storePassword.default) return;
  const message = 'the database server is on another machine, and is signed in to with the password that everybody knows';
  diagnostics.push(diagnostic('config-password', host.span, message, 'set store.password, and change it on the server'));
}

/** The nearest key of the same section, else the place where a key of that name does stand. */
function suggest(key: string, prefix: string): string | undefined {
  const local = key.slice(prefix === '' ? 0 : prefix.length + 1);
  const known = [...rowOf.keys(), ...sections];
  const siblings = known.filter((each) => parentOf(each) === prefix).map(localOf);
  const near = nearest(local, siblings);
  if (near !== undefined) return `did you mean "${near}"?`;
  const elsewhere = known.find((each) => localOf(each) === local);
  return elsewhere === undefined ? undefined : `did you mean ${elsewhere}?`;
}

function prefixes(key: string): readonly string[] {
  const parts = key.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')));
}

function localOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/** Settings that predecessors had and that mean nothing here: they warn, some with what to set instead. */
export const ignoredKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['logging', 'log.level'],
  ['monitoring', undefined],
  ['authentication', 'auth'],
  ['integrations', undefined],
  ['customErrorMessages', undefined],
  ['rbac.roles', undefined],
  ['service.httpFileHandling', undefined],
]);
