// `GET /platform/explain`: the statements behind an event and the rules of an entity, in files that are named as `/platform/source` names them.

import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { explainAnswer } from '../http/platform/explain/answer.ts';
import { shownFile } from './answer.ts';
import type { OperatorParts } from './parts.ts';

export function explainedAnswer(request: HttpRequest, { plan, settings, project, folder }: OperatorParts): HttpResponse {
  const packages = project?.packages();
  return explainAnswer(request, plan, settings.store, (file) => shownFile(file, folder, packages));
}
