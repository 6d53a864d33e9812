// Every form of a dataflow's patterns, posted over HTTP: reading, writing, related instances, control.

import { earlierTables } from './forms/earlier.ts';
import { earlierForms } from './forms/earlier-library.ts';
import { runForms } from './forms/form.ts';

runForms(earlierTables, earlierForms);
