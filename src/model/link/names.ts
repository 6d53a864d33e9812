// What a name may look like: not too long for a column, not of the service's own kind, not the same as another but for its case.

import type { Span } from '../../source.ts';
import { didYouMean, type FaultReport } from '../fault-report.ts';
import type { Name } from '../pattern.ts';

/** PostgreSQL cuts identifiers behind this many bytes. */
const mostBytes = 63;

/** Names that mean something in patterns. */
const patternWords = new Set(['this', 'auth']);

export function checkName(name: Name, what: string, report: FaultReport): void {
  if (name.text.startsWith('__')) {
    report.fault('name-reserved', name.span, `names that begin with \`__\` belong to the service; \`${name.text}\` cannot be ${what}`);
  }
  if (Buffer.byteLength(name.text) > mostBytes) {
    report.fault('name-too-long', name.span, `\`${name.text}\` is longer than ${mostBytes} bytes`);
  }
}

export function checkTypeName(name: Name, what: string, report: FaultReport): void {
  checkName(name, what, report);
  if (patternWords.has(name.text)) {
    report.fault('name-reserved', name.span, `\`${name.text}\` has a meaning of its own in patterns; it cannot be ${what}`);
  }
}

/** Reports names of one space that repeat each other, or differ only in case. */
export function nameSpace(report: FaultReport, code: 'name-repeated' | 'attribute-repeated', what: string) {
  const seen = new Map<string, string>();
  return (text: string, span: Span): boolean => {
    const first = seen.get(text.toLowerCase());
    if (first === undefined) {
      seen.set(text.toLowerCase(), text);
      return true;
    }
    if (first === text) report.fault(code, span, `the ${what} \`${text}\` is declared twice`);
    else report.fault('name-case', span, `\`${text}\` and \`${first}\` differ only in case`, didYouMean(first));
    return false;
  };
}
