// The page docs/settings.md, made from the table, so that the two cannot differ.

import { ignoredKeys } from '../../src/config/check.ts';
import { rows } from '../../src/config/config.ts';
import type { Setting } from '../../src/config/setting.ts';

export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Settings stand in `config.al` at the root of a project (`config.edn` in one of the [earlier surface](earlier.md)). All of them may be left out, and so may the file.',
    'This page is made from the table in `src/config/config.ts`.',
    '',
    ...introduction,
    '',
    '| Key | In `config.edn` | Type | Default | Meaning |',
    '|---|---|---|---|---|',
    ...rows.map(line),
    '',
    `Keys that predecessors had and that mean nothing here are warned about: ${[...ignoredKeys.keys()].map((key) => `\`${key}\``).join(', ')}.`,
    'Any other key is an error.',
    '',
    '`--port`, `--host` and `-c <file>` of `platform run` win over the file.',
    '',
  ].join('\n');
}

const introduction = [
  'The file is a script. Its last value, a map, is the configuration; a map before it can be bound to a name with `@as` and used further down.',
  'A text that begins with `#js ` is a JavaScript expression; it can read the environment. It has a second to finish, and `undefined` is an error:',
  'give a fallback.',
  '',
  '```',
  '{"port": "#js process.env.PORT ?? 8080"} @as service',
  '{"type": "sqlite", "dbname": "#js process.env.DB_FILE ?? \'data/shop.db\'"} @as store',
  '{"service": service, "store": store, "log": {"level": "warn"}}',
  '```',
  '',
  'Numbers may be given as texts (`"8080"`), as environment variables are. Configuration is trusted code: nothing that arrives over HTTP is ever evaluated.',
  '',
  'All settings may stand under a key `platform`. Beside them a configuration may hold instances, by the qualified names of their entities, alone or in maps and lists:',
  'they are put in place at every start, before anything that the model does at start.',
  '',
  '```',
  '{"platform": {"service": {"port": 8080}},',
  ' "crm": {"crm.core/Config": {"host": "mail.example.com", "token": "#js process.env.MAIL_TOKEN"}}}',
  '```',
  '',
  'An instance is found by its identifier and changed, or created; one that is given without an identifier takes the place of the one that there is. Attributes that are not',
  'given stay as they are. A value that is `undefined` here, as of a variable that is not set, is an absent attribute and a warning; an instance that needs it is left out.',
  'In `config.edn` the same is `:Crm.Core/Config {:Host "mail.example.com" :Token #$ MAIL_TOKEN}`.',
];

function line(row: Setting<unknown>): string {
  const meaning = [row.description, row.store === undefined ? '' : `Only with \`store.type\` \`${row.store}\`.`];
  return `| \`${row.key}\` | \`${earlierKey(row)}\` | ${row.type} | ${defaultOf(row)} | ${meaning.filter((each) => each !== '').join(' ')} |`;
}

function earlierKey({ earlier }: Setting<unknown>): string {
  return earlier
    .split('.')
    .map((part) => `:${part}`)
    .join(' ');
}

function defaultOf(row: Setting<unknown>): string {
  if (row.default === undefined || row.type === 'a map' || row.type === 'a list') return 'none';
  return `\`${JSON.stringify(row.default)}\``;
}
