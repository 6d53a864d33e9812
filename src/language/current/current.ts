// The current surface: module syntax.

import type { FrontEnd } from '../front-end.ts';
import { readUnit } from './parse/parse.ts';
import { printUnit } from './print/print.ts';

export const currentFrontEnd: FrontEnd = { read: readUnit, print: printUnit };
