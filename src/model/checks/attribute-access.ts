// Rules of attributes that cannot be meant: a value that has to be given and may not be, and a hidden value that a computed attribute shows.

import { isRequired } from '../description.ts';
import type { FaultReport } from '../fault-report.ts';
import type { AccessRule, Attribute, Entity, Model } from '../model.ts';
import { referencesIn, siblingOf } from '../references.ts';

export function checkAttributeAccess({ entities, relationships }: Model, report: FaultReport): void {
  const contained = new Set([...relationships.values()].flatMap((each) => (each.kind === 'contains' ? [each.child] : [])));
  for (const entity of entities.values()) {
    for (const attribute of entity.attributes) {
      if (attribute.rbac !== undefined && isRequired(attribute)) checkSettable(attribute, entity, contained.has(entity.name), report);
      if (attribute.rbac === undefined && attribute.expression !== undefined) checkShown(attribute, entity, report);
    }
  }
}

/** Whoever may make an instance must be able to give it what it needs. */
function checkSettable(attribute: Attribute, entity: Entity, isContained: boolean, report: FaultReport): void {
  const { name, rbac = [], span } = attribute;
  const setting = rbac.some(({ allow }) => allow.includes('create')) ? 'create' : 'update';
  const rules = rbac.filter(({ allow, where }) => allow.includes(setting) && where === undefined);
  // Without rules it is made by admins, and by who owns what it stands in.
  const makers = entity.rbac?.flatMap(({ allow, roles }) => (allow.includes('create') ? roles : [])) ?? (isContained ? ['*'] : []);
  const unable = makers.find((role) => role !== 'admin' && !rules.some((rule) => holdsFor(role, rule, entity)));
  if (unable === undefined) return;
  const who = unable === '*' ? 'whoever is signed in' : `\`${unable}\``;
  report.fault(
    'rbac-attribute-required',
    span,
    `\`${name}\` has to be given, and ${who} may make a \`${entity.local}\` without being allowed to set it at all times`,
    'allow them `create` of it, give it a default, or make it optional',
  );
}

/** Whoever makes an instance owns it, unless the entity says otherwise. */
function holdsFor(role: string, { roles, owners }: AccessRule, { meta }: Entity): boolean {
  return (roles.includes('*') || roles.includes(role)) && (owners !== true || meta['creatorOwns'] !== false);
}

/** What is computed has rules of its own. */
function checkShown({ name, expression, span }: Attribute, { attributes, local }: Entity, report: FaultReport): void {
  if (expression === undefined) return;
  const used = new Set(referencesIn(expression).flatMap((each) => siblingOf(each) ?? []));
  const hidden = attributes.find((each) => each.rbac !== undefined && used.has(each.name));
  if (hidden === undefined) return;
  const message = `\`${name}\` of \`${local}\` is computed from \`${hidden.name}\`, and shown to who may not read that`;
  report.fault('rbac-attribute-shown', span, message, 'give it rules of its own where that is not meant');
}
