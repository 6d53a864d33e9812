// How the API reaches the instance, and what it answers.

import type { Instance } from '../../../api/instances.ts';
import { writeJson } from '../../../api/json.ts';
import { asCurl, type Call } from '../../../api/request.ts';
import { CopyAsCurl } from '../../../components/curl.tsx';

export function RecordApi({ path, instance }: { path: string; instance: Instance }) {
  const { '@rights': _, ...row } = instance.row;
  const calls: readonly (readonly [string, Call])[] = [
    ['Read', { path }],
    ['Follow its changes', { path, headers: { accept: 'text/event-stream' } }],
    ['Delete', { method: 'DELETE', path }],
  ];
  return (
    <>
      <CopyAsCurl asked={() => ({ path })} />
      {calls.map(([name, asked]) => (
        <section key={name}>
          <h3>{name}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
          <pre className="code" tabIndex={0}>
            {asCurl(asked)}
          </pre>
        </section>
      ))}
      <h3>Answer</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <pre className="code" tabIndex={0}>
        {writeJson(row, 2).slice(0, 20_000)}
      </pre>
    </>
  );
}
