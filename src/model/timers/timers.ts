// The module of the service about timers: what is to be run when, readable like any other data.

import type { SystemAttribute, SystemModule } from '../system-module.ts';

/** What a timer is called on each surface; its table goes by the first. */
export const timerType = 'platform/timer';
const earlierTimer = 'Platform.Kernel.Lang/Timer';

/** A model that names one of these has timers. */
export const timerTypes: ReadonlySet<string> = new Set([timerType, earlierTimer]);

const kept: readonly SystemAttribute[] = [
  ['user', 'String', 'optional', 'readonly', 'indexed'],
  ['created', 'DateTime', 'generated', 'readonly'],
  ['due', 'DateTime', 'optional', 'readonly', 'indexed'],
  ['last', 'DateTime', 'optional', 'readonly'],
  ['runs', 'Int', 'optional', 'readonly'],
  ['error', 'String', 'optional', 'readonly'],
  // For whom it runs, as it is written down: nobody reads it but the service.
  ['caller', 'String', 'optional', 'readonly', 'writeonly'],
];

export const timerModule: SystemModule = {
  current: 'platform',
  earlier: 'Platform.Kernel.Lang',
  types: [
    {
      kind: 'entity',
      parts: ['timers'],
      name: 'timer',
      attributes: [
        ['name', 'String', 'id', 'unnamed'],
        ['duration', 'Int', 'optional'],
        ['unit', 'String', 'optional'],
        ['trigger', 'Any'],
        ['repeat', 'Boolean', 'optional'],
        ['schedule', 'String', 'optional'],
        ...kept,
      ],
      earlier: {
        name: 'Timer',
        attributes: [
          ['Name', 'String', 'id', 'unnamed'],
          ['Expiry', 'Int', 'optional'],
          ['ExpiryUnit', 'String', 'optional'],
          ['ExpiryEvent', 'Any'],
          ['Repeat', 'Boolean', 'optional'],
          ['Schedule', 'String', 'optional'],
          ...kept.map(([name, ...rest]): SystemAttribute => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, ...rest]),
        ],
      },
    },
  ],
};
