// Stands in for what finds the native part of the SQLite package: in a built application it is a part of the file.

import { loadNative } from './native.ts';

export default function sqliteBinding(): unknown {
  return loadNative(__filename, 'sqlite');
}
