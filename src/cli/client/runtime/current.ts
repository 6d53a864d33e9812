// The current surface in a generated client, whose bodies and answers are flat already. Part of the generated file.

import type { Form } from './form.ts';

export const currentForm: Form = {
  create: (_, body) => body,
  update: (body) => body,
  call: (_, input) => input,
  identity: (name, body) => ({ path: `/platform.auth/${name}`, body }),
  created: undefined,
  instance: undefined,
  list: undefined,
  change: undefined,
  result: () => undefined,
};
