// `GET /platform/access`: who may do what by the model; with `user`, `operation` and `on`, whether one user may do one thing, and why.

import { type AskedOperation, explanationData, explanationOf } from '../access/explanation.ts';
import { accessMatrix } from '../access/matrix.ts';
import { error, type Fault } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { jsonAnswer, orRefused, parametersIn, shownFile } from './answer.ts';
import type { OperatorParts } from './parts.ts';
import { targetAt } from './target.ts';

const operations: readonly AskedOperation[] = ['create', 'read', 'update', 'delete', 'execute'];

export async function accessAnswer(request: HttpRequest, parts: OperatorParts): Promise<HttpResponse> {
  const asked = parametersIn(request, 'user', 'operation', 'on', 'roles');
  const { plan, store, clock, settings, folder } = parts;
  const { access } = plan;
  if (access === undefined) throw error('path-unknown', { detail: 'Access control is off in this project. Set rbac.enabled.' });
  if (asked.size === 0) return jsonAnswer(accessMatrix(plan, access));
  const { user, op, on } = questionOf(asked);
  const roles = asked.get('roles')?.split(',');
  const explanation = await orRefused(async () => {
    const surface = parts.surfaceOf(plan, { ...settings, service: { ...settings.service, surfaces: ['current', 'earlier'] } });
    const target = targetAt(on, plan, surface);
    return store.read((reader) => explanationOf(target, { user, op, on, roles }, { plan, access, clock }, reader), { consistent: true });
  });
  return jsonAnswer(explanationData(explanation, (file) => shownFile(file, folder, parts.project?.packages())));
}

function questionOf(asked: ReadonlyMap<string, string>): { readonly user: string; readonly op: AskedOperation; readonly on: string } {
  const [user = '', named, on = ''] = ['user', 'operation', 'on'].map((name) => asked.get(name));
  const op = operations.find((each) => each === named);
  const faults: Fault[] = [['user', user] as const, ['operation', named ?? ''] as const, ['on', on] as const].flatMap(
    ([attribute, given]) => (given === '' ? [{ attribute, code: 'required', message: 'is required' }] : []),
  );
  if (named !== undefined && op === undefined)
    faults.push({ attribute: 'operation', code: 'value', message: `is one of ${operations.join(', ')}` });
  if (faults.length > 0 || op === undefined) throw error('query-invalid', { errors: faults });
  return { user, op, on };
}
