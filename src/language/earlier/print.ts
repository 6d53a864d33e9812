// In charge of the text of whole units, in the canonical layout of the earlier surface.

import type { Unit } from '../../model/declaration.ts';

export function printUnit(unit: Unit): string {
  return unit.source.text;
}
