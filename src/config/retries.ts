// Retries that a configuration declares, as declarations of the modules whose agents name them.

import type { FieldsDeclaration, Unit } from '../model/declaration.ts';
import { writtenName } from '../model/literals.ts';
import { expressionOf } from './instances.ts';
import type { ConfigRetry } from './settings/retry.ts';

/** One that no agent names is part of the first module: its faults are told all the same. What a module declares itself comes first. */
export function retryUnits(retries: readonly ConfigRetry[], units: readonly Unit[]): readonly Unit[] {
  return retries.flatMap((retry) => {
    const naming = units.filter((unit) => unit.declarations.some((each) => each.kind === 'agent' && retryOf(each.fields) === retry.name));
    const first = units.find(({ module }) => module !== undefined);
    const modules = new Map(
      (naming.length === 0 ? [first] : naming).flatMap((unit) => (unit?.module ? [[unit.module.text, unit.module]] : [])),
    );
    return [...modules.values()]
      .filter((module) => !units.some((unit) => unit.module?.text === module.text && declares(unit, retry.name)))
      .map((module): Unit => ({ source: retry.span.source, module, imports: [], declarations: [declarationOf(retry)], comments: [] }));
  });
}

function retryOf(fields: FieldsOfAgent): string | undefined {
  return writtenName(fields.find(({ name }) => name.text === 'retry')?.value);
}

type FieldsOfAgent = Extract<Unit['declarations'][number], { kind: 'agent' }>['fields'];

function declares({ declarations }: Unit, name: string): boolean {
  return declarations.some((each) => each.kind === 'retry' && each.name.text === name);
}

function declarationOf({ name, fields, span }: ConfigRetry): FieldsDeclaration {
  const body = fields.map(({ key, keySpan, value }) => ({ name: { text: key, span: keySpan }, value: expressionOf(value) }));
  return { kind: 'retry', name: { text: name, span }, body, span };
}
