// Keys of contained instances: one text that finds an instance under its parents, keeps the order of the typed identifiers,
// and begins with the key of the parent, so that everything below an instance is one range.

import type { Value } from '../model/types/attribute-type.ts';

/** Sorts before every character that an encoded identifier can hold. */
const separator = '\u0001';
const detached = '~detached';

/** A text that sorts by code point as the typed identifiers do. */
export function sortable(id: Value): string {
  switch (typeof id) {
    case 'number':
    case 'bigint':
      return (BigInt(id) + 2n ** 63n).toString(16).padStart(16, '0');
    case 'string':
      return id.includes('\u0001') || id.includes('\u0002')
        ? id.replaceAll('\u0002', '\u0002\u0004').replaceAll('\u0001', '\u0002\u0003')
        : id;
    default:
      return String(id);
  }
}

/** The key of what stands under no parent. It names the type: the identifiers of two types may be the same. */
export function rootKey(type: string, id: Value): string {
  return `${type}${separator}${sortable(id)}`;
}

export function childKey(parentKey: string, relationship: string, id: Value): string {
  return `${parentKey}${separator}${relationship}${separator}${sortable(id)}`;
}

/** A key under no parent that blocks no identifier: for children that outlive their parent (decisions 3, 6b). */
export function detachedKey(unique: string, id: Value): string {
  return `${detached}${separator}${unique}${separator}${sortable(id)}`;
}

/** Whether a key is that of a child that outlived its parent. */
export function isDetached(key: Value): boolean {
  return typeof key === 'string' && key.startsWith(`${detached}${separator}`);
}

/** The range of keys strictly below a key: `from` (exclusive) to `to` (exclusive). */
export function below(key: string): { readonly from: string; readonly to: string } {
  return { from: `${key}${separator}`, to: `${key}\u0002` };
}

/** `C$E` for a qualified name. */
export function segment(type: string): string {
  return type.replace('/', '$');
}

export function childPath(parentPath: string, relationship: string, child: string, id: Value): string {
  return `${parentPath}/${segment(relationship)}/${segment(child)}/${encodeURIComponent(String(id))}`;
}

export function rootPath(type: string, id: Value): string {
  return `path://${segment(type)}/${encodeURIComponent(String(id))}`;
}
