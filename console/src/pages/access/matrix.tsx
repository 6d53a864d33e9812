// Who may do what, by the model alone: a line for each type and holder, a column for each operation.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accessOperations, type MatrixEntry, readMatrix } from '../../api/access.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Choice } from '../../components/form/choice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';

/** The roles that rules name. */
export function rolesIn(entries: readonly MatrixEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ who }) => /^role ([^,]+)/.exec(who)?.[1] ?? []))];
}

interface Line {
  readonly type: string;
  readonly who: string;
  readonly where: string | undefined;
  readonly operations: ReadonlySet<string>;
}

export function Matrix() {
  const [role, setRole] = useState('');
  const { data, error } = useQuery({ queryKey: ['matrix'], queryFn: ({ signal }) => readMatrix(signal) });
  if (error !== null) return <FaultText thrown={error} />;
  if (data === undefined) return <Skeleton lines={8} label="Loading the matrix" />;
  const lines = linesOf(data).filter(({ who }) => role === '' || isOf(who, role));
  return (
    <>
      <div className="toolbar flat">
        <Choice
          label="Role"
          className="inline-choice"
          value={role}
          options={[
            { value: '', text: 'all' },
            ...rolesIn(data).map((each) => ({ value: each, text: each === '*' ? '* (whoever is signed in)' : each })),
          ]}
          onChange={setRole}
        />
        <span className="spacer" />
        <CopyAsCurl asked={() => ({ path: '/platform/access' })} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <div className="scroll" tabIndex={0} role="region" aria-label="Matrix">
        <table className="plain matrix">
          <caption className="visually-hidden">Who may do what</caption>
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Who</th>
              {accessOperations.map((each) => (
                <th key={each} scope="col">
                  {each}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              <tr key={`${line.type} ${line.who} ${line.where}`} className={lines[index - 1]?.type === line.type ? undefined : 'first'}>
                <th scope="row">{line.type}</th>
                <td>
                  {line.who}
                  {line.where !== undefined && (
                    <>
                      {' '}
                      <small>where {line.where}</small>
                    </>
                  )}
                </td>
                {accessOperations.map((each) => (
                  <td key={each} className="mark">
                    {line.operations.has(each) ? <Yes name={each} /> : <span className="absent">–</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lines.length === 0 && <p className="hint">No rule names it.</p>}
    </>
  );
}

function Yes({ name }: { name: string }) {
  return (
    <>
      <span aria-hidden="true" className="good">
        ✓
      </span>
      <span className="visually-hidden">may {name}</span>
    </>
  );
}

/** What everybody has who is signed in is theirs too. */
function isOf(who: string, role: string): boolean {
  return who === `role ${role}` || who.startsWith(`role ${role},`) || who === 'role *' || who.startsWith('role *,');
}

function linesOf(entries: readonly MatrixEntry[]): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const { type, who, where, operation } of entries) {
    const key = JSON.stringify([type, who, where]);
    const line = lines.get(key);
    lines.set(key, { type, who, where, operations: new Set([...(line?.operations ?? []), operation]) });
  }
  return [...lines.values()];
}
