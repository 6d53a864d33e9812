// Settings that predecessors had and that mean nothing here.

/** They warn; some with what to set instead. */
export const ignoredKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['logging', 'log.level'],
  ['monitoring', undefined],
  ['authentication', 'auth'],
  ['integrations', undefined],
  ['openapi', undefined],
  ['retry', undefined],
  ['customErrorMessages', undefined],
  ['rbac.roles', undefined],
  ['service.httpFileHandling', undefined],
]);
