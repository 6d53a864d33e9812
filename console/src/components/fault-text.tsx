// A failure in the words of the service, announced to who cannot see it.

import { Problem } from '../api/request.ts';

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function FaultText({ thrown }: { thrown: unknown }) {
  const others = thrown instanceof Problem ? thrown.errors : [];
  return (
    <div role="alert" className="fault">
      <p>{messageOf(thrown)}</p>
      {others.length > 0 && (
        <ul>
          {others.slice(0, 20).map((each) => (
            <li key={`${each.attribute} ${each.code}`}>
              <strong>{each.attribute}</strong> {each.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
