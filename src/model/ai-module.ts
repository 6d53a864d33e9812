// The module of the service about agents: what is kept of their runs, readable like any other data.

import type { SystemAttribute, SystemModule } from './system-module.ts';

const generatedId: SystemAttribute = ['id', 'UUID', 'id', 'generated'];

export const aiModule: SystemModule = {
  current: 'platform.ai',
  earlier: 'Platform.Core',
  types: [
    {
      kind: 'entity',
      parts: ['ai'],
      name: 'Run',
      attributes: [
        generatedId,
        ['agent', 'String', 'indexed'],
        ['kind', 'String'],
        ['status', 'String', 'indexed'],
        ['user', 'String', 'optional', 'indexed'],
        ['started', 'DateTime'],
        ['ended', 'DateTime', 'optional'],
        ['message', 'String', 'optional'],
        ['result', 'Any', 'optional'],
        ['error', 'Map', 'optional'],
        ['inputTokens', 'Int'],
        ['outputTokens', 'Int'],
        ['cost', 'Decimal', 'optional'],
        ['documents', 'String', 'list', 'optional'],
      ],
    },
    {
      kind: 'entity',
      parts: ['ai'],
      name: 'Step',
      attributes: [
        ['no', 'Int', 'id'],
        ['name', 'String'],
        ['kind', 'String'],
        ['status', 'String'],
        ['input', 'String', 'optional'],
        ['result', 'Any', 'optional'],
        ['label', 'String', 'optional'],
        ['method', 'String', 'optional'],
        ['model', 'String', 'optional'],
        ['inputTokens', 'Int'],
        ['outputTokens', 'Int'],
        ['cost', 'Decimal', 'optional'],
        ['started', 'DateTime'],
        ['ended', 'DateTime', 'optional'],
        ['documents', 'String', 'list', 'optional'],
      ],
    },
    {
      kind: 'entity',
      parts: ['ai'],
      name: 'ToolCall',
      attributes: [
        ['id', 'String', 'id'],
        ['no', 'Int', 'optional'],
        ['tool', 'String'],
        ['arguments', 'Any', 'optional'],
        ['result', 'Any', 'optional'],
        ['status', 'String'],
      ],
    },
  ],
  contains: [
    ['RunStep', 'Run', 'Step'],
    ['StepToolCall', 'Step', 'ToolCall'],
  ],
};

/** What only the service itself writes, whoever asks. */
export const recordModules: ReadonlySet<string> = new Set(['platform.ai', 'Platform.Core']);
