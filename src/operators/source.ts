// `GET /platform/source`: the texts of the served model, and what is to be said about them.

import { error } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { jsonAnswer, parametersIn, shownFile } from './answer.ts';
import type { OperatorParts } from './parts.ts';

export function sourceAnswer(request: HttpRequest, { project, folder }: OperatorParts): HttpResponse {
  parametersIn(request);
  if (project === undefined) throw error('path-unknown', { detail: 'The model was not read from files.' });
  const packages = project.packages();
  const files = project.sources().map(({ file, text }) => ({ file: shownFile(file, folder, packages), text }));
  const named = new Set(project.sources().map(({ file }) => file));
  // What is said of the configuration may hold parts of it.
  const diagnostics = project
    .diagnostics()
    .flatMap(({ file, ...each }) => (named.has(file) ? [{ file: shownFile(file, folder, packages), ...each }] : []));
  return jsonAnswer({ files, diagnostics });
}
