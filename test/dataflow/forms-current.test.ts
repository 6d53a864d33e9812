// Every form of a workflow's patterns, posted over HTTP: reading, writing, related instances, control, columns.

import { currentTables } from './forms/current.ts';
import { currentForms } from './forms/current-library.ts';
import { runForms } from './forms/form.ts';

runForms(currentTables, currentForms);
