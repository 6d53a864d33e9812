// The earlier surface: parenthesised syntax.

import type { FrontEnd } from '../front-end.ts';
import { readUnit } from './lower/lower.ts';
import { printUnit } from './print/print.ts';

export const earlierFrontEnd: FrontEnd = { read: readUnit, print: printUnit };
