// Models that would give a right nobody meant to give: what is said of each before anything is served.

import { expect } from 'vitest';
import { currentFrontEnd } from '../../../src/language/current/current.ts';
import { link } from '../../../src/model/link/link.ts';

export interface DoubtfulModel {
  readonly title: string;
  readonly model: string;
  readonly severity: 'error' | 'warning';
  readonly code: string;
}

const staff =
  'entity Staff { id Int @id, email Email @unique, branch String @optional @indexed, word Password @optional, @profile(email), @rbac [] }';
const ruled = (where: string): string =>
  `${staff}\nentity A { id Int @id, branch String @optional, b Int @ref(B.id) @optional, @rbac [(roles: [*], allow: [read], where: ${where})] }
entity B { id Int @id, name String @optional, code String @optional @secret, c Int @ref(C.id) @optional, @rbac [] }
entity C { id Int @id, name String @optional, b Int @ref(B.id) @optional, @rbac [] }`;

export const doubtfulModels: readonly DoubtfulModel[] = [
  { title: 'a condition that asks for a secret', model: ruled('this.b.code = "x"'), severity: 'error', code: 'rbac-path' },
  {
    title: 'a condition that asks for the password of the caller',
    model: ruled('auth.Staff.word = this.branch'),
    severity: 'error',
    code: 'rbac-path',
  },
  { title: 'a condition with more than four steps', model: ruled('this.b.c.b.c.b.name = "x"'), severity: 'error', code: 'rbac-path' },
  {
    title: 'a condition on something that is no profile',
    model: ruled('auth.B.name = this.branch'),
    severity: 'error',
    code: 'rbac-condition',
  },
  {
    title: 'a condition on an attribute that the profile has not',
    model: ruled('auth.Staff.brunch = this.branch'),
    severity: 'error',
    code: 'attribute-unknown',
  },
  { title: 'a condition that goes on behind a text', model: ruled('this.branch.name = "x"'), severity: 'error', code: 'rbac-path' },
  {
    title: 'a condition by a function that there is not',
    model: ruled('lower(this.branch) = "x"'),
    severity: 'error',
    code: 'function-unknown',
  },
  {
    title: 'a profile by what is no e-mail',
    model: 'entity Staff { id Int @id, name String, @profile(name), @rbac [] }',
    severity: 'error',
    code: 'profile-invalid',
  },
  {
    title: 'a rule that lets others write the e-mail of a profile',
    model: `entity Staff { id Int @id, email Email @unique, branch String @indexed, @profile(email), @rbac [(roles: [*], allow: [create, read])] }
entity A { id Int @id, branch String @indexed, @rbac [(roles: [*], allow: [read], where: auth.Staff.branch = this.branch)] }`,
    severity: 'warning',
    code: 'rbac-self-made',
  },
  {
    title: 'a rule that lets others write what conditions ask of a profile',
    model: `entity Staff { id Int @id, email Email @unique @rbac [(roles: [*], allow: [read])], branch String @indexed, @profile(email), @rbac [(roles: [hr], allow: [read, update])] }
entity A { id Int @id, branch String @indexed, @rbac [(roles: [*], allow: [read], where: auth.Staff.branch = this.branch)] }`,
    severity: 'warning',
    code: 'rbac-self-made',
  },
  {
    title: 'a rule of an attribute that goes by what others may write of a profile',
    model: `entity Staff { id Int @id, email Email @unique, branch String @indexed, @profile(email), @rbac [(roles: [*], allow: [create])] }
entity A { id Int @id, branch String @indexed, pay Int @optional @rbac [(roles: [*], allow: [read], where: auth.Staff.branch = this.branch)], @rbac [(roles: [*], allow: [read])] }`,
    severity: 'warning',
    code: 'rbac-self-made',
  },
  {
    title: 'a required attribute that who may create could not set',
    model: 'entity A { id Int @id, salary Int @rbac [(roles: [manager], allow: [read])], @rbac [(roles: [*], allow: [create, read])] }',
    severity: 'error',
    code: 'rbac-attribute-required',
  },
  {
    title: 'a rule of an attribute that deletes',
    model:
      'entity A { id Int @id, salary Int @optional @rbac [(roles: [manager], allow: [read, delete])], @rbac [(roles: [*], allow: [read])] }',
    severity: 'error',
    code: 'rbac-operation-unknown',
  },
  {
    title: 'a rule of an identifier, which stands in every path',
    model: 'entity A { id Int @id @rbac [(roles: [manager], allow: [read])], @rbac [(roles: [*], allow: [read])] }',
    severity: 'error',
    code: 'annotation-misplaced',
  },
  {
    title: 'a workflow that runs as somebody that there is not',
    model: '@runAs(admin) workflow w { 1 }',
    severity: 'error',
    code: 'run-as-unknown',
  },
];

export function expectSaid({ model, severity, code }: DoubtfulModel): void {
  const { unit, diagnostics } = currentFrontEnd.read({ file: 'law.al', text: `module law\n${model}\n` });
  const said = [...diagnostics, ...link([unit], ['auth', 'rbac']).diagnostics];
  expect(said.filter((each) => each.severity !== 'note').map((each) => `${each.severity} ${each.code}`)).toContain(`${severity} ${code}`);
}
