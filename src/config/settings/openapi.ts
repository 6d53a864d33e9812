// The list `openapi`: documents whose operations become events, and a diagnostic at its place for everything that does not fit.

import type { OpenapiEntry } from '../../resolvers/openapi/openapi.ts';
import type { ConfigFault, ConfigValue, Setting } from '../setting.ts';
import {
  entriesOf,
  isAddress,
  isBoolean,
  isHeaders,
  isTime,
  isTrue,
  longestTime,
  numberOf,
  type Rule,
  ruleFaults,
  textOf,
  textsOf,
  wrong,
} from './values.ts';

const key = 'openapi';

export const openapiRow: Setting<readonly OpenapiEntry[]> = {
  key,
  earlier: key,
  type: 'a list of `{name, spec, baseUrl?, ownNetwork?, headers?, timeout?}`',
  default: [],
  description:
    'OpenAPI documents (3.0, 3.1) of other systems: their operations are events of the module `name` ([openapi-events.md](openapi-events.md)). `spec` (or `specUrl`) is a file, relative to the configuration file, or an address.',
  read: (value) => (value.kind === 'list' ? { value: value.items.map(entryOf) } : undefined),
  faults: (value) => (value.kind === 'list' ? [...value.items.flatMap(faultsOf), ...repeated(value.items)] : []),
};

const rules: Readonly<Record<string, Rule>> = {
  name: ['the name of a module, such as "pets"', (value) => /^[A-Za-z]\w*(?:\.\w+)*$/.test(textOf(value) ?? '')],
  spec: ['a file, or an address such as "https://example.com/openapi.json"', isText],
  specUrl: ['a file, or an address such as "https://example.com/openapi.json"', isText],
  baseUrl: ['an address such as "https://api.example.com"', (value) => isAddress(textOf(value))],
  ownNetwork: ['true or false', isBoolean],
  headers: ['a map of texts', isHeaders],
  timeout: [`a number of seconds, more than 0 and up to ${longestTime}`, (value) => isTime(numberOf(value))],
};

/** Of an entry without faults. */
function entryOf(item: ConfigValue): OpenapiEntry {
  const entries = entriesOf(item);
  const [baseUrl, timeout] = [textOf(entries.get('baseUrl')?.value), numberOf(entries.get('timeout')?.value)];
  const headers = entries.get('headers')?.value;
  return {
    name: textOf(entries.get('name')?.value) ?? '',
    spec: textOf((entries.get('spec') ?? entries.get('specUrl'))?.value) ?? '',
    headers: textsOf(headers, true),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(isTrue(entries.get('ownNetwork')?.value) ? { ownNetwork: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    span: (entries.get('spec') ?? entries.get('specUrl'))?.value.span ?? item.span,
  };
}

function faultsOf(item: ConfigValue): readonly ConfigFault[] {
  if (item.kind !== 'map') return [wrong(item.span, `an entry of ${key} must be a map`)];
  const entries = entriesOf(item);
  const specs = ['spec', 'specUrl'].filter((each) => entries.has(each));
  return [
    ...(entries.has('name') ? [] : [wrong(item.span, `an entry of ${key} needs name`)]),
    ...(specs.length === 1
      ? []
      : [wrong(item.span, `an entry of ${key} needs spec${specs.length === 2 ? ', and not specUrl beside it' : ''}`)]),
    ...ruleFaults(entries, key, rules),
  ];
}

function repeated(items: readonly ConfigValue[]): readonly ConfigFault[] {
  const names = items.map((each) => entriesOf(each).get('name')?.value);
  return names.flatMap((each, index) => {
    const name = textOf(each);
    const isSecond = name !== undefined && names.slice(0, index).some((other) => textOf(other) === name);
    return isSecond && each !== undefined ? [wrong(each.span, `${key}: there are two documents for the module ${name}`)] : [];
  });
}

function isText(value: ConfigValue): boolean {
  return (textOf(value) ?? '') !== '';
}
