// What could not be done of many, each with its reason.

import { lastPart, Problem } from '../../../api/request.ts';
import { messageOf } from '../../../components/fault-text.tsx';
import { shortened } from '../../../components/value.tsx';
import type { Outcome } from './batch.ts';

const mostShown = 20;

export function Failures({ text, failed }: { text: string; failed: Outcome<unknown>['failed'] }) {
  if (failed.length === 0) return null;
  return (
    <div role="alert" className="fault">
      <p>{text}</p>
      <ul>
        {failed.slice(0, mostShown).map(({ path, thrown }) => (
          <li key={path}>
            <bdi>{shortened(lastPart(path))}</bdi>: {reasonOf(thrown)}
          </li>
        ))}
      </ul>
      {failed.length > mostShown && <p>and {(failed.length - mostShown).toLocaleString()} more</p>}
    </div>
  );
}

function reasonOf(thrown: unknown): string {
  const faults = thrown instanceof Problem ? thrown.errors : [];
  return faults.length === 0 ? messageOf(thrown) : faults.map(({ attribute, message }) => `${attribute} ${message}`).join('; ');
}
