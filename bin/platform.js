#!/usr/bin/env node
// The `platform` command: hands over to the bundle.

import { existsSync } from 'node:fs';

const entry = new URL('../dist/cli.js', import.meta.url);

if (existsSync(entry)) {
  const { start } = await import(entry.href);
  await start(process.argv.slice(2));
} else {
  process.stderr.write('platform: this clone is not built yet; run "npm run build", or "npm start" for the example\n');
  process.exitCode = 1;
}
