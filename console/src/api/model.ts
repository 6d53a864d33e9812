// The description of the model, read once and shared by all pages.

import { useSuspenseQuery } from '@tanstack/react-query';
import type { EntityDescription, ModelDescription, StepDescription } from '../../../src/http/platform/description.ts';
import { call } from './request.ts';

export type {
  AgentDescription,
  AttributeDescription,
  EntityDescription,
  EventDescription,
  ModelDescription,
  StepDescription,
} from '../../../src/http/platform/description.ts';

export const modelKey = ['model'] as const;

export function useModel(): ModelDescription {
  const { data } = useSuspenseQuery({ queryKey: modelKey, queryFn: readModel, staleTime: 60_000 });
  return data;
}

async function readModel(): Promise<ModelDescription> {
  const { body } = await call({ path: '/platform/model' });
  // Made by the service from the type that is imported above.
  return Object(body);
}

export function entityNamed(model: ModelDescription, name: string): EntityDescription | undefined {
  return model.entities.find((each) => each.name === name);
}

/** The attribute by which people know an instance: the first text that is no identifier, else the identifier. */
export function titleAttribute(entity: EntityDescription): string {
  const texts = entity.attributes.filter(
    (each) => each.type === 'String' && !each.list && !each.identifier && !each.secret && !each.writeOnly,
  );
  const named = texts.find((each) => /^(name|title|subject|label)$/i.test(each.name) && each.default === undefined);
  return (named ?? texts.find((each) => each.required) ?? texts[0])?.name ?? entity.identifier;
}

/** Which steps have tabs; one of two ways to the same place is enough. */
export function tabsOf(entity: EntityDescription): readonly StepDescription[] {
  const known = new Map<string, StepDescription>();
  for (const step of entity.steps) {
    const name = `${step.relationship} ${step.name}`;
    const kept = known.get(name);
    if (kept === undefined || step.segment.length < kept.segment.length) known.set(name, step);
  }
  return [...known.values()];
}
