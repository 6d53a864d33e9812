// A thread or process whose code is TypeScript as it is written, on a runtime that does not take the types off: for the benchmarks, which run `src` without a build.

import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
