// The service's own tables about runs of agents: who works on them, what the language model said in them, what was spent.

import type { Table } from '../table.ts';
import { ownTable, reference } from './own-table.ts';

export interface AgentTables {
  /** What a run goes on from: who asked for what, who works on it until when, and what it waits for. */
  readonly runs: Table;
  /** Replies of the language model that ask for tools, each kept before anything is done about it. */
  readonly replies: Table;
  /** What parts of workflows have done between the agents that they ask. */
  readonly parts: Table;
  /** Tokens by user and day. */
  readonly spent: Table;
  /** What was said in conversations. */
  readonly turns: Table;
  /** Which documents are kept, and which text of them. */
  readonly documents: Table;
  readonly passages: Table;
}

/** `runs` is the table of what everybody may see of them. */
export function agentTables(runs: Table): AgentTables {
  const ofRun = reference('run', runs, 'id');
  return {
    runs: ownTable(
      'runs',
      {
        run: 'uuid',
        input: 'text',
        caller: 'text',
        scope: ['text', 'optional'],
        digest: ['text', 'optional'],
        resumable: 'integer',
        worker: ['text', 'optional'],
        lease: 'integer',
        waiting: ['text', 'optional'],
      },
      ['run'],
      { foreignKeys: [ofRun], indexes: [['scope'], ['lease']] },
    ),
    replies: ownTable('replies', { run: 'uuid', step: 'integer', turn: 'integer', content: 'text' }, ['run', 'step', 'turn'], {
      foreignKeys: [ofRun],
    }),
    parts: ownTable('parts', { run: 'uuid', step: 'integer', content: 'text' }, ['run', 'step'], { foreignKeys: [ofRun] }),
    spent: ownTable('spent', { user: 'text', day: 'text', tokens: 'integer' }, ['user', 'day'], {}),
    turns: ownTable(
      'turns',
      { owner: 'text', conversation: 'text', at: 'integer', message: 'text', reply: 'text' },
      ['owner', 'conversation', 'at'],
      {},
    ),
    documents: ownTable('documents', { title: 'text', digest: 'text' }, ['title'], {}),
    passages: ownTable('passages', { document: 'text', no: 'integer', text: 'text' }, ['document', 'no'], { search: ['text'] }),
  };
}
