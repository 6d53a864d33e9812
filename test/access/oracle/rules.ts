// A model with access rules as plain data, which the oracle reads, printed in the syntax of either surface.

import type { Surface } from '../people.ts';

export type Operation = 'create' | 'read' | 'update' | 'delete';

export interface Rule {
  /** Role `*` is any signed-in user. */
  readonly roles: readonly string[];
  readonly allow: readonly (Operation | '*')[];
  /** An attribute that must hold the caller's e-mail address. */
  readonly where?: string;
}

/** Of an attribute: it narrows what somebody may do with the instance. */
export interface AttributeRule {
  readonly roles: readonly string[];
  readonly allow: readonly ('create' | 'read' | 'update')[];
  /** Only owners of the instance; whoever makes one is. */
  readonly owners?: boolean;
  readonly where?: string;
}

export interface EntityRules {
  readonly name: string;
  /** Of a further attribute, `pin`, which is there where it has rules. */
  readonly pin?: readonly AttributeRule[];
  /** None: only admin and owners. */
  readonly rules?: readonly Rule[];
  /** `update` and `delete` of roles are kept to owners. */
  readonly ownerOnly?: boolean;
  readonly within?: {
    readonly parent: string;
    readonly relationship: string;
    readonly rules?: readonly Rule[];
    /** Owners of the parent own its children although these have rules. */
    readonly inherit?: boolean;
  };
}

export interface LinkRules {
  readonly name: string;
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly rules?: readonly Rule[];
  /** The owner of this end may link without owning the other one. */
  readonly owner?: string;
  /** Owners of the end `to` are owners of the end `from` while the link exists. */
  readonly assign?: { readonly to: string; readonly from: string };
}

export interface LinkEnd {
  readonly entity: string;
  /** The entity's name where nothing is said. */
  readonly role?: string;
}

export interface ModelRules {
  readonly entities: readonly EntityRules[];
  readonly links: readonly LinkRules[];
}

export function endName({ entity, role }: LinkEnd): string {
  return role ?? entity;
}

/** The files of a project: module `m`, every entity with the same attributes. */
export function projectOf(model: ModelRules, surface: Surface, flows = ''): Readonly<Record<string, string>> {
  if (surface === 'current') return { 'core.al': `module m\n${currentText(model)}\n${flows}` };
  return { 'core.platform': `(component :m)\n${earlierText(model)}\n${flows}` };
}

const currentAttributes = 'id Int @id, text String, rank Int, boss String @optional';

function currentText({ entities, links }: ModelRules): string {
  return [
    ...entities.map(({ name, rules, ownerOnly, pin }) => {
      const meta = ownerOnly === true ? ', @meta {"ownerOnly": true}' : '';
      return `entity ${name} { ${currentAttributes}${pin === undefined ? '' : `, pin String @optional ${currentRules(pin)}`}${rules === undefined ? '' : `, ${currentRules(rules)}`}${meta} }`;
    }),
    ...entities.flatMap(({ name, within }) => {
      if (within === undefined) return [];
      const body = within.rules === undefined ? '' : ` { ${currentRules(within.rules)} }`;
      const inherit = within.inherit === true ? ' @inherit' : '';
      return [`relationship ${within.relationship} contains(${within.parent}, ${name})${inherit}${body}`];
    }),
    ...links.map(({ name, ends, rules, owner, assign }) => {
      const named = ends.map(({ entity, role }) => (role === undefined ? entity : `${entity} @as ${role}`)).join(', ');
      const ownerMark = owner === undefined ? '' : ` @owner(${owner})`;
      const assignMark = assign === undefined ? '' : ` @assign(${assign.to} -> ${assign.from})`;
      const body = rules === undefined ? '' : `, ${currentRules(rules)}`;
      return `relationship ${name} between(${named})${ownerMark}${assignMark} { text String @optional${body} }`;
    }),
  ].join('\n');
}

function currentRules(rules: readonly (Rule | AttributeRule)[]): string {
  const each = rules.map((rule) => {
    const { roles, allow, where } = rule;
    const condition = where === undefined ? '' : `, where: auth.user = this.${where}`;
    return `(roles: [${roles.join(', ')}]${isOfOwners(rule) ? ', owners: true' : ''}, allow: [${allow.join(', ')}]${condition})`;
  });
  return `@rbac [${each.join(', ')}]`;
}

function isOfOwners(rule: Rule | AttributeRule): boolean {
  return 'owners' in rule && rule.owners === true;
}

const earlierAttributes = (isRoot: boolean): string =>
  `:id {:type :Int ${isRoot ? ':guid' : ':id'} true} :text :String :rank :Int :boss {:type :String :optional true}`;

function earlierText({ entities, links }: ModelRules): string {
  return [
    ...entities.map(({ name, rules, ownerOnly, within, pin }) => {
      const meta = ownerOnly === true ? ' :meta {:crud-exclusive-for-owner true}' : '';
      return `(entity :m/${name} {${earlierAttributes(within === undefined)}${pin === undefined ? '' : ` :pin {:type :String :optional true :rbac ${earlierRules(pin)}}`}${rules === undefined ? '' : ` :rbac ${earlierRules(rules)}`}${meta}})`;
    }),
    ...entities.flatMap(({ name, within }) => {
      if (within === undefined) return [];
      const own = within.rules === undefined ? '' : earlierRules(within.rules);
      const inherited = `{:inherit true${own === '' ? '' : ` :rules ${own}`}}`;
      const rules = within.inherit === true ? ` :rbac ${inherited}` : own === '' ? '' : ` :rbac ${own}`;
      return [`(relationship :m/${within.relationship} {:meta {:contains [:m/${within.parent} :m/${name}]}${rules}})`];
    }),
    ...links.map((link) => {
      const [from, to] = link.ends;
      const roles = from.role === undefined || to.role === undefined ? '' : ` :as [:${from.role} :${to.role}]`;
      const meta = `:meta {:between [:m/${from.entity} :m/${to.entity}${roles}]}`;
      return `(relationship :m/${link.name} {${meta} :text {:type :String :optional true}${earlierLinkRules(link)}})`;
    }),
  ].join('\n');
}

function earlierLinkRules({ rules, owner, assign }: LinkRules): string {
  const ownerKey = owner === undefined ? '' : `:owner :${owner} `;
  const assignKey = assign === undefined ? '' : `:assign {:ownership [:${assign.to} :-> :${assign.from}]}`;
  const own = `${ownerKey}${assignKey}` === '' ? '' : `{${ownerKey}${assignKey}}`;
  if (rules !== undefined) return ` :rbac [${earlierRules(rules).slice(1, -1)} ${own}]`;
  return own === '' ? '' : ` :rbac ${own}`;
}

function earlierRules(rules: readonly (Rule | AttributeRule)[]): string {
  const each = rules.map((rule) => {
    const { roles, allow, where } = rule;
    const named = roles.map((role) => `"${role}"`).join(' ');
    const condition = where === undefined ? '' : ` :where [:= :${where} :auth.user]`;
    return `{:roles [${named}]${isOfOwners(rule) ? ' :owners true' : ''} :allow [${allow.map((operation) => `:${operation}`).join(' ')}]${condition}}`;
  });
  return `[${each.join(' ')}]`;
}
