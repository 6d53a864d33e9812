// The pages of the console: one line each. A page is loaded when it is opened.

import type { ComponentType } from 'react';
import { auditEntity } from './api/audit.ts';
import type { ModelDescription } from './api/model.ts';
import { runEntity } from './pages/agents/runs.ts';

export interface PageEntry {
  readonly name: string;
  /** The first segment of its address. */
  readonly path: string;
  /** Whether the service has it and the caller may see it. */
  shown(model: ModelDescription): boolean;
  load(): Promise<{ readonly default: ComponentType }>;
}

const always = (): boolean => true;
const isOperator = ({ caller }: ModelDescription): boolean => caller.isAdmin;

export const pages: readonly PageEntry[] = [
  { name: 'Home', path: '', shown: always, load: () => import('./pages/home/home.tsx') },
  { name: 'Data', path: 'data', shown: always, load: () => import('./pages/collections/collections.tsx') },
  { name: 'Model', path: 'model', shown: always, load: () => import('./pages/model/model.tsx') },
  {
    name: 'Events',
    path: 'events',
    shown: ({ events }) => events.some((each) => each.mayRun),
    load: () => import('./pages/events/events.tsx'),
  },
  {
    name: 'Access',
    path: 'access',
    shown: ({ features }) => features.authentication,
    load: () => import('./pages/access/access.tsx'),
  },
  { name: 'Audit', path: 'audit', shown: (model) => auditEntity(model) !== undefined, load: () => import('./pages/audit/audit.tsx') },
  {
    name: 'Agents',
    path: 'agents',
    // Without agents there are runs where resolvers may suspend workflows: they wait for data here.
    shown: (model) => model.agents.some((each) => each.mayRun) || (model.agents.length === 0 && runEntity(model) !== undefined),
    load: () => import('./pages/agents/agents.tsx'),
  },
  { name: 'Operation', path: 'operation', shown: isOperator, load: () => import('./pages/operation/operation.tsx') },
];
