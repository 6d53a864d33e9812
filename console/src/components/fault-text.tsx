// A failure in the words of the service, announced to who cannot see it.

import { Problem } from '../api/request.ts';
import { shortened, visible } from './value.tsx';

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function FaultText({ thrown }: { thrown: unknown }) {
  const others = thrown instanceof Problem ? thrown.errors : [];
  return (
    <div role="alert" className="fault">
      <p>{visible(messageOf(thrown), 2000)}</p>
      {others.length > 0 && (
        <ul>
          {others.slice(0, 20).map((each) => (
            <li key={`${each.attribute} ${each.code}`}>
              <strong>{shortened(each.attribute)}</strong> {visible(each.message, 2000)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
