// The current surface: module syntax.

import type { FrontEnd } from '../front-end.ts';
import { readUnit } from './parse-unit.ts';
import { printUnit } from './print.ts';

export const currentFrontEnd: FrontEnd = { read: readUnit, print: printUnit };
