// In charge of finding every name that the statements of a dataflow bind.

import type { Alias, Statement } from '../../../model/pattern.ts';

export function boundAliases(statements: readonly Statement[]): ReadonlySet<string> {
  const found = new Set<string>();
  visit(statements, found);
  return found;
}

/** Whatever holds statements, at whatever depth: only the aliases and loop variables in it are of interest. */
function visit(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) visit(each, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if (key === 'as' && isAlias(each)) for (const name of namesOf(each)) found.add(name);
      else if (key === 'variable' && isName(each) && each.text !== '%') found.add(each.text);
      else if (key !== 'span') visit(each, found);
    }
  }
}

function isAlias(value: unknown): value is Alias {
  return typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'whole' || value.kind === 'parts');
}

function isName(value: unknown): value is { readonly text: string } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

function namesOf(alias: Alias): readonly string[] {
  if (alias.kind === 'whole') return [alias.name.text];
  const rest = alias.rest === undefined ? [] : [alias.rest.text, '&'];
  return [...alias.names.map((name) => name?.text ?? '_'), ...rest];
}
