// What of a list is shown, as the address says it: filters, order and columns. The names are those of the API.

import type { AttributeDescription, EntityDescription } from '../../api/model.ts';
import { needsRights } from '../../api/rights.ts';
import { queryText } from '../../router.tsx';

export const pageSize = 100;

/** Those of the console itself; all others go to the API as they are. */
const ownParameters = ['@record', '@tab', '@columns', '@new'];

export interface Filter {
  /** As it stands in the address: `total[gt]`. */
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

const symbols: Readonly<Record<string, string>> = { eq: '=', ne: '≠', lt: '<', lte: '≤', gt: '>', gte: '≥', null: 'is absent:' };

export function filtersIn(parameters: URLSearchParams): readonly Filter[] {
  return [...parameters].flatMap(([name, value]) => {
    if (name.startsWith('@') && name !== '@search') return [];
    const [, attribute = name, operator = 'eq'] = /^(.*?)(?:\[(\w+)\])?$/.exec(name) ?? [];
    const text = name === '@search' ? `search: ${value}` : `${attribute} ${symbols[operator] ?? operator} ${value}`;
    return [{ name, value, text }];
  });
}

/** What is shown: with what the caller may do with each, where that is not the same for all. */
export function listPath(entity: EntityDescription, parameters: URLSearchParams): string {
  const asked = filtered(parameters);
  if (needsRights(entity)) asked.set('@rights', 'true');
  return entity.path + queryText(asked);
}

/** All of what is filtered, in its order. */
export function wholePath(entity: EntityDescription, parameters: URLSearchParams): string {
  return entity.path + queryText(filtered(parameters));
}

/** Absent where the service tells no changes: of what is searched for, and of what a resolver keeps. */
export function streamPath(entity: EntityDescription, parameters: URLSearchParams): string | undefined {
  if (entity.external || parameters.has('@search')) return undefined;
  const asked = filtered(parameters);
  asked.delete('@sort');
  return entity.path + queryText(asked);
}

function filtered(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name]) => !ownParameters.includes(name)));
}

/** What can be shown, in the order of the model. */
export function shownAttributes(entity: EntityDescription): readonly AttributeDescription[] {
  return entity.attributes.filter((each) => !each.secret && !each.writeOnly);
}

export function columnsIn(entity: EntityDescription, parameters: URLSearchParams): readonly AttributeDescription[] {
  const all = shownAttributes(entity);
  const chosen = parameters.get('@columns')?.split(',');
  const found = chosen?.flatMap((name) => all.find((each) => each.name === name) ?? []) ?? [];
  return found.length > 0 ? found : all.slice(0, 12);
}

/** Sorting by what has no order is refused by the service. */
export function isSortable({ kind, list }: AttributeDescription): boolean {
  return !list && kind !== 'json' && kind !== 'record';
}

export function operatorsOf({ kind, list, required, type }: AttributeDescription): readonly string[] {
  const absent = required ? [] : ['null'];
  if (kind === 'json' || kind === 'record') return absent;
  if (list) return ['has', ...absent];
  if (kind === 'boolean' || type === 'Enum') return ['eq', 'ne', 'in', ...absent];
  if (kind === 'text') return ['eq', 'ne', 'ilike', 'like', 'in', 'lt', 'gt', ...absent];
  return ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'between', 'in', ...absent];
}
