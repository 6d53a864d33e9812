// The list `retry`: how often agents are asked again, by names that agents of every module may use.

import type { Span } from '../../source.ts';
import type { ConfigEntry, ConfigFault, ConfigValue, Setting } from '../setting.ts';
import { entriesOf, textOf, wrong } from './values.ts';

const key = 'retry';

/** The fields are those of a declaration, and checked as such. */
export interface ConfigRetry {
  readonly name: string;
  readonly fields: readonly ConfigEntry[];
  readonly span: Span;
}

export const retryRow: Setting<readonly ConfigRetry[]> = {
  key,
  earlier: key,
  type: 'a list of `{name, attempts?, backoff?}`',
  default: [],
  description:
    'Retries of agents, as the model declares them (`retry r1 { attempts 3, backoff { … } }`): an agent of any module names one in `retry`. `backoff` is `{strategy, delay, magnitude, factor}`.',
  read: (value) => (value.kind === 'list' ? { value: value.items.map(retryOf) } : undefined),
  faults: (value) => (value.kind === 'list' ? [...value.items.flatMap(faultsOf), ...repeated(value.items)] : []),
};

function retryOf(item: ConfigValue): ConfigRetry {
  const fields = [...entriesOf(item)].filter(([name]) => name !== 'name').map(([name, entry]) => ({ ...entry, key: name }));
  return { name: textOf(entriesOf(item).get('name')?.value) ?? '', fields, span: item.span };
}

function faultsOf(item: ConfigValue): readonly ConfigFault[] {
  if (item.kind !== 'map') return [wrong(item.span, `an entry of ${key} must be a map`)];
  const name = entriesOf(item).get('name')?.value;
  if (/^[A-Za-z]\w*$/.test(textOf(name) ?? '')) return [];
  return [wrong(name?.span ?? item.span, `an entry of ${key} needs name, such as "twice"`)];
}

function repeated(items: readonly ConfigValue[]): readonly ConfigFault[] {
  const names = items.map((each) => entriesOf(each).get('name')?.value);
  return names.flatMap((each, index) => {
    const isSecond = each !== undefined && names.slice(0, index).some((other) => textOf(other) === textOf(each));
    return isSecond ? [wrong(each.span, `${key}: there are two of this name`)] : [];
  });
}
