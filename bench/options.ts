// The flags of `npm run bench`.

import { parseArgs } from 'node:util';
import { type CaseName, caseNames } from './cases.ts';
import { type ServerName, type StoreName, serverNames, storeNames } from './servers.ts';

export interface Options {
  /** Seconds of load on each server for each case. */
  readonly seconds: number;
  readonly only: readonly CaseName[];
  readonly connections: readonly number[];
  readonly logLevel: string;
  /** What both servers keep their data in. */
  readonly store: StoreName;
  /** Whether docs/performance.md gets the figures. */
  readonly docs: boolean;
  /** Absent: everything is measured. */
  readonly profile: CaseName | undefined;
  /** Whose profile. */
  readonly server: ServerName;
}

export const usage = `npm run bench -- [flags]
  --seconds <n>        load on each server for each case (5)
  --only <cases>       ${caseNames.join(',')}
  --connections <n,n>  numbers of connections (16,1)
  --log <level>        log level of both servers (warn)
  --store <name>       what both keep their data in: ${storeNames.join(' or ')} (sqlite)
  --docs               put the figures into docs/performance.md
  --profile <case>     where the CPU time of one case goes, instead of measuring
  --server <name>      whose profile: ${serverNames.join(' or ')} (ours)`;

export function readOptions(argv: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seconds: text,
      only: text,
      connections: text,
      log: text,
      store: text,
      docs: { type: 'boolean' },
      profile: text,
      server: text,
    },
  });
  const [profile] = namesIn(values.profile ?? '', caseNames);
  const [server = 'ours'] = namesIn(values.server ?? '', serverNames);
  const [store = 'sqlite'] = namesIn(values.store ?? '', storeNames);
  const only = namesIn(values.only ?? '', caseNames);
  return {
    seconds: positive(values.seconds ?? '5'),
    only: only.length === 0 ? caseNames : only,
    connections: (values.connections ?? '16,1').split(',').map(positive),
    logLevel: values.log ?? 'warn',
    store,
    docs: values.docs ?? false,
    profile,
    server,
  };
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${text} is not a number above 0`);
  return number;
}

function namesIn<Name extends string>(text: string, names: readonly Name[]): readonly Name[] {
  const given = text.split(',').filter((each) => each !== '');
  return given.map((each) => {
    const name = names.find((known) => known === each);
    if (name === undefined) throw new Error(`there is no ${each}; there are ${names.join(', ')}`);
    return name;
  });
}
