// The type Password: a text that is kept as a hash and is in no answer.

import { textType } from './text.ts';

const mostCharacters = 1024;

export const password = textType({
  name: 'Password',
  column: 'text',
  expected: 'a password of 1 to 1,024 characters',
  // Two UTF-16 units may make one character.
  longest: 2 * mostCharacters,
  read: (text) => (text !== '' && [...text].length <= mostCharacters ? text : undefined),
  schema: { type: 'string', format: 'password', minLength: 1, maxLength: mostCharacters },
  example: 'correct horse battery staple',
  identifies: false,
  secret: true,
});
