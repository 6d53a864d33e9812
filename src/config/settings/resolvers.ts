// The list `resolvers`: what each entry says of a resolver, and a diagnostic at its place for everything that does not fit.

import type { ResolverKind } from '../../model/model.ts';
import type { ResolverSettings } from '../../resolvers/resolver.ts';
import { objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { ConfigEntry, ConfigFault, ConfigValue, Setting } from '../setting.ts';
import {
  entriesOf,
  isAddress,
  isBoolean,
  isHeaders,
  isTime,
  longestTime,
  numberOf,
  type Rule,
  ruleFaults,
  textOf,
  wrong,
} from './values.ts';

const key = 'resolvers';

export const resolversRow: Setting<readonly ResolverSettings[]> = {
  key,
  earlier: key,
  type: 'a list of `{name, type?, mode?, types?, timeout?, arguments?, fake?, config?}`',
  default: [],
  description:
    'Resolvers without code (`type` `"memory"`, `"rest"` or `"sql"`, `types`, `mode` `"override"` or `"compose"`), and what resolvers get besides their declaration ([resolvers.md](resolvers.md)): `timeout` in seconds, `arguments` `"context-first"` for handlers that take the context first, `config` as `context.config`; `fake` is a file of recorded calls that stands in for the resolver.',
  read: (value) => (value.kind === 'list' ? { value: value.items.map(resolverOf) } : undefined),
  faults: (value) => (value.kind === 'list' ? value.items.flatMap(faultsOf) : []),
};

const kinds: readonly ResolverKind[] = ['memory', 'rest', 'sql'];

function kindOf(value: ConfigValue | undefined): ResolverKind | undefined {
  return kinds.find((each) => each === textOf(value));
}

const rules: Readonly<Record<string, Rule>> = {
  name: ['the qualified name of a resolver, such as "hr/people"', (value) => /^[\w.$-]+\/[\w.$-]+$/.test(textOf(value) ?? '')],
  timeout: [`a number of seconds, more than 0 and up to ${longestTime}`, (value) => isTime(numberOf(value))],
  arguments: ['"context-first" or "argument-first"', (value) => orders.includes(textOf(value) ?? '')],
  fake: ['the name of a file of recorded calls', (value) => (textOf(value) ?? '') !== ''],
  config: ['a map', (value) => value.kind === 'map'],
  type: [`one of ${kinds.map((each) => `"${each}"`).join(', ')}`, (value) => kindOf(value) !== undefined],
  mode: ['"override" or "compose"', (value) => modes.includes(textOf(value) ?? '')],
  types: [
    'a list of names of entities, such as "hr/Person"',
    (value) => value.kind === 'list' && value.items.every((each) => textOf(each) !== undefined),
  ],
};

const text: Rule = ['a text', (value) => (textOf(value) ?? '') !== ''];
const names: Rule = [
  'a map of texts, such as {"name": "full_name"}',
  (value) => value.kind === 'map' && value.entries.every((each) => text[1](each.value)),
];

/** What the `config` of each type may hold; that of a resolver with code is its own. */
const configRules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  memory: {},
  rest: {
    baseUrl: ['an address such as "https://api.example.com"', (value) => isAddress(textOf(value))],
    path: ['a text', (value) => textOf(value) !== undefined],
    headers: ['a map of texts', isHeaders],
    map: names,
    list: text,
    id: text,
    ownNetwork: ['true or false', isBoolean],
  },
  sql: { url: text, file: text, table: text, map: names },
};

const modes = ['override', 'compose'];
const orders = ['context-first', 'argument-first'];

/** Of an entry without faults. */
function resolverOf(item: ConfigValue): ResolverSettings {
  const entries = entriesOf(item);
  const timeout = numberOf(entries.get('timeout')?.value);
  const config = entries.get('config')?.value;
  const mode = textOf(entries.get('mode')?.value);
  const order = textOf(entries.get('arguments')?.value);
  const fake = textOf(entries.get('fake')?.value);
  const [kind, types] = [kindOf(entries.get('type')?.value), entries.get('types')?.value];
  return {
    name: textOf(entries.get('name')?.value) ?? '',
    ...(order === undefined ? {} : { isContextFirst: order === 'context-first' }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(kind === undefined ? {} : { kind }),
    ...(fake === undefined ? {} : { fake }),
    ...(mode === undefined ? {} : { compose: mode === 'compose' }),
    ...(types?.kind === 'list' ? { types: types.items.flatMap((each) => textOf(each) ?? []) } : {}),
    ...(config === undefined ? {} : { config: plainValue(config) }),
  };
}

function faultsOf(item: ConfigValue): readonly ConfigFault[] {
  if (item.kind !== 'map') return [wrong(item.span, `an entry of ${key} must be a map`)];
  const entries = entriesOf(item);
  return [
    ...(entries.has('name') ? [] : [wrong(item.span, `an entry of ${key} needs name`)]),
    ...restFaults(item, entries),
    ...sqlFaults(item, entries),
    ...ruleFaults(entries, key, rules),
    ...configFaults(entries),
  ];
}

function configFaults(entries: ReadonlyMap<string, ConfigEntry>): readonly ConfigFault[] {
  const known = configRules[kindOf(entries.get('type')?.value) ?? ''];
  const config = entries.get('config')?.value;
  if (known === undefined || config === undefined) return [];
  return ruleFaults(entriesOf(config), `${key}.config`, known);
}

/** Without an address there is nobody to ask. */
function restFaults(item: ConfigValue, entries: ReadonlyMap<string, ConfigEntry>): readonly ConfigFault[] {
  if (textOf(entries.get('type')?.value) !== 'rest') return [];
  const config = entries.get('config')?.value;
  const isGiven = config !== undefined && entriesOf(config).has('baseUrl');
  return isGiven ? [] : [wrong(config?.span ?? item.span, `${key}.config.baseUrl must be an address such as "https://api.example.com"`)];
}

/** A table, and either the address of a server or a file. */
function sqlFaults(item: ConfigValue, entries: ReadonlyMap<string, ConfigEntry>): readonly ConfigFault[] {
  if (textOf(entries.get('type')?.value) !== 'sql') return [];
  const config = entries.get('config')?.value;
  const given = config === undefined ? new Map<string, ConfigEntry>() : entriesOf(config);
  const [url, file, table] = ['url', 'file', 'table'].map((name) => textOf(given.get(name)?.value));
  const at = config?.span ?? item.span;
  const isServer = url !== undefined && URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol);
  return [
    ...(isServer !== (file !== undefined)
      ? []
      : [wrong(at, `${key}.config needs either url, such as "postgres://host/database", or file`)]),
    ...(table === undefined ? [wrong(at, `${key}.config.table must be the name of a table`)] : []),
  ];
}

function plainValue(value: ConfigValue): Value {
  switch (value.kind) {
    case 'scalar':
      return value.value;
    case 'list':
      return value.items.map(plainValue);
    default:
      return objectOf(value.entries.map((each) => [each.key, plainValue(each.value)]));
  }
}
