// How the API reaches the instance, and what it answers.

import type { Instance } from '../../../api/instances.ts';
import { writeJson } from '../../../api/json.ts';
import { asCurl, type Call } from '../../../api/request.ts';
import { Code } from '../../../components/code.tsx';
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
          <Code text={asCurl(asked)} />
        </section>
      ))}
      <h3>Answer</h3>
      <Code text={writeJson(row, 2)} />
    </>
  );
}
