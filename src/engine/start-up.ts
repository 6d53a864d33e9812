// What the model does at start, and why it does not serve where that fails.

import { PlatformError } from '../errors.ts';
import { StartRefused } from '../store/store.ts';
import type { Engine } from './engine.ts';

/** What the model does at start is part of it: where it fails, the model does not serve. */
export async function startUp(engine: Engine): Promise<void> {
  try {
    await engine.start();
  } catch (thrown) {
    const cause = thrown instanceof PlatformError && thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
    const faults = thrown instanceof PlatformError ? (thrown.details.errors ?? []).map((each) => `${each.attribute} ${each.message}`) : [];
    const why = faults.length > 0 ? faults.join('; ') : thrown instanceof Error ? thrown.message : String(thrown);
    throw new StartRefused(`what the model does at start failed: ${why}${cause}`, thrown);
  }
}
