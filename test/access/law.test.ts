// The law of rights, attacked: rows by what is known of the caller, attributes, creators, the system and internal events, at every door.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentAttacks, attempt } from './law/agents.ts';
import { attributes } from './law/attributes.ts';
import { conditions } from './law/conditions.ts';
import { creators } from './law/creators.ts';
import { doubtfulModels, expectSaid } from './law/models.ts';
import { type Opened, openStage } from './law/stage.ts';
import { systems } from './law/system.ts';

for (const stage of [creators, conditions, attributes, systems]) {
  describe(stage.title, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await openStage(stage);
    });
    afterAll(async () => {
      await opened?.served.close();
    });

    for (const { title, steps = [], run } of stage.attacks) {
      test(title, async () => {
        for (const step of steps) await opened.take(step);
        await run?.(opened);
        expect(opened.served.failures.splice(0)).toEqual([]);
      });
    }
  });
}

describe('agents', () => {
  for (const each of agentAttacks) test(each.title, () => attempt(each));
});

describe('before anything is served', () => {
  for (const each of doubtfulModels)
    test(`${each.title} is told of as ${each.severity === 'error' ? 'an error' : 'a warning'}`, () => expectSaid(each));
});
