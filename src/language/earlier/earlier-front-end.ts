// The earlier surface: parenthesised syntax.

import type { FrontEnd } from '../front-end.ts';
import { readUnit } from './lower.ts';
import { printUnit } from './print.ts';

export const earlierFrontEnd: FrontEnd = { read: readUnit, print: printUnit };
