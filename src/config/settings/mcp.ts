// The list `mcp.servers`: servers of the Model Context Protocol whose tools become events, and a diagnostic for everything that does not fit.

import type { McpEntry } from '../../resolvers/mcp/mcp.ts';
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

const key = 'mcp.servers';

export const mcpServersRow: Setting<readonly McpEntry[]> = {
  key,
  earlier: key,
  type: 'a list of `{name, serverUrl | command, args?, env?, headers?, bearerToken?, ownNetwork?, timeout?}`',
  default: [],
  description:
    'Servers of the Model Context Protocol: their tools are events of the module `<name>.mcp`, and tools of agents ([mcp.md](mcp.md#tools-of-other-servers)). `serverUrl` is an address, `command` a program that is run with `args` and `env`.',
  read: (value) => (value.kind === 'list' ? { value: value.items.map(entryOf) } : undefined),
  faults: (value) => (value.kind === 'list' ? value.items.flatMap(faultsOf) : []),
};

const isText = (value: ConfigValue) => (textOf(value) ?? '') !== '';

const rules: Readonly<Record<string, Rule>> = {
  name: ['a name such as "weather"', (value) => /^[A-Za-z]\w*(?:\.\w+)*$/.test(textOf(value) ?? '')],
  serverUrl: ['an address such as "https://example.com/mcp"', (value) => isAddress(textOf(value))],
  command: ['a program', isText],
  args: ['a list of texts', (value) => value.kind === 'list' && value.items.every((each) => textOf(each) !== undefined)],
  env: ['a map of texts', (value) => value.kind === 'map' && value.entries.every((each) => textOf(each.value) !== undefined)],
  headers: ['a map of texts', isHeaders],
  bearerToken: ['a text', isText],
  ownNetwork: ['true or false', isBoolean],
  timeout: [`a number of seconds, more than 0 and up to ${longestTime}`, (value) => isTime(numberOf(value))],
};

/** Of an entry without faults. */
function entryOf(item: ConfigValue): McpEntry {
  const entries = entriesOf(item);
  const text = (name: string): string | undefined => textOf(entries.get(name)?.value);
  const [serverUrl, command, token] = [text('serverUrl'), text('command'), text('bearerToken')];
  const args = entries.get('args')?.value;
  const timeout = numberOf(entries.get('timeout')?.value);
  return {
    name: text('name') ?? '',
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...textsOf(entries.get('headers')?.value, true) },
    env: textsOf(entries.get('env')?.value),
    args: args?.kind === 'list' ? args.items.flatMap((each) => textOf(each) ?? []) : [],
    ...(serverUrl === undefined ? {} : { serverUrl }),
    ...(isTrue(entries.get('ownNetwork')?.value) ? { ownNetwork: true } : {}),
    ...(command === undefined ? {} : { command }),
    ...(timeout === undefined ? {} : { timeout }),
    span: entries.get('name')?.value.span ?? item.span,
  };
}

function faultsOf(item: ConfigValue): readonly ConfigFault[] {
  if (item.kind !== 'map') return [wrong(item.span, `an entry of ${key} must be a map`)];
  const entries = entriesOf(item);
  return [
    ...(entries.has('name') ? [] : [wrong(item.span, `an entry of ${key} needs name`)]),
    ...(entries.has('serverUrl') === entries.has('command')
      ? [wrong(item.span, `an entry of ${key} needs either serverUrl or command`)]
      : []),
    ...ruleFaults(entries, key, rules),
  ];
}
