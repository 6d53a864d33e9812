// Agents of a generated client. Part of the generated file.

import type { Connection } from './connection.ts';
import { event, type Invoke } from './events.ts';

/** An agent takes a message, and answers with a text. */
export function agent(connection: Connection, path: string): Invoke<string, string> {
  const invoke = event<{ readonly message: string }, string>(connection, path, undefined);
  return (message, options) => invoke({ message }, options);
}
