// The schema of the service, as the caller's introspection gives it.

import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { call } from '../api/request.ts';

export async function loadSchema(signal: AbortSignal): Promise<GraphQLSchema> {
  const { body } = await call({ method: 'POST', path: '/graphql', body: { query: getIntrospectionQuery() }, signal });
  const { data, errors }: { data?: IntrospectionQuery; errors?: readonly { message: string }[] } = Object(body);
  if (data === undefined) throw new Error(errors?.[0]?.message ?? 'The service gave no schema.');
  return buildClientSchema(data);
}
