// The seam between source text and declarations: one implementation per surface.

import type { Diagnostic } from '../diagnostics.ts';
import type { Unit } from '../model/declaration.ts';
import type { Source } from '../source.ts';

export interface FrontEnd {
  /** Never throws: what cannot be read becomes a diagnostic, and reading goes on behind it. */
  read(source: Source): ReadResult;
  /** The text of a unit in this surface's own layout, comments included. Reading it again gives the same unit. */
  print(unit: Unit): string;
}

export interface ReadResult {
  readonly unit: Unit;
  readonly diagnostics: readonly Diagnostic[];
}
