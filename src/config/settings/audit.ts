// The settings of the audit trail: their rows of the table, and which files they mean.

import { resolve } from 'node:path';
import type { AuditSettings } from '../../audit/audit.ts';
import type { StoreSettings } from '../../store/open.ts';
import { boolean, optionalInteger, type Setting, text } from '../setting.ts';

export const auditRows = {
  audit: boolean('auditTrail.enabled', {
    default: false,
    description: 'The audit trail: changes of what is marked with `@meta {"audit": true}` are recorded.',
  }),
  auditKey: text('auditTrail.key', {
    default: undefined,
    description:
      'File of the key that entries are signed with, relative to the configuration file; made at the first start. Without it a file beside the data.',
    requires: 'auditTrail.enabled',
  }),
  auditAnchor: text('auditTrail.anchor', {
    default: undefined,
    description:
      'File that knows how far the trail had got, relative to the configuration file. Without it a file beside the data; safer where whoever has the data cannot write.',
    requires: 'auditTrail.enabled',
  }),
  auditKeep: optionalInteger(
    'auditTrail.keep',
    { min: 1, max: 36_500 },
    { default: undefined, description: 'Days that entries are kept. Without it, for good.', requires: 'auditTrail.enabled' },
  ),
} as const;

/** `base` is where relative paths begin. */
export function auditSettings(value: <T>(row: Setting<T>) => T, base: string, folder: string, store: StoreSettings): AuditSettings {
  const [key, anchor] = [value(auditRows.auditKey), value(auditRows.auditAnchor)];
  const beside = store.type === 'sqlite' ? store.file : resolve(folder, 'data', store.dbname.replace(/[^\w.-]+/g, '-'));
  return {
    key: key === undefined ? `${beside}.audit-key` : resolve(base, key),
    anchor: anchor === undefined ? `${beside}.audit-anchor` : resolve(base, anchor),
    keep: value(auditRows.auditKeep),
  };
}
