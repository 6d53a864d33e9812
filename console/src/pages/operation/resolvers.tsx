// Other systems that keep something: what came of calls to them, whether they are left alone for a while, and calls that are pending.

import { shortened, Time } from '../../components/value.tsx';
import { Scrolled } from './scrolled.tsx';
import type { Status } from './status.ts';

export function ResolverSection({ status: { resolvers, pending = [], pendingCount = 0 } }: { status: Status }) {
  if (resolvers.length === 0) return <p className="hint">The model has none: everything is kept in the store.</p>;
  return (
    <>
      <Scrolled name="Table of resolvers">
        <table className="plain figures">
          <thead>
            <tr>
              <th scope="col">Resolver</th>
              <th scope="col" className="words">
                State
              </th>
              <th scope="col">Answered</th>
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {resolvers.map((each) => (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td className="words">
                  {each.isOpen ? <span className="bad">✗ breaker open: not asked for a while</span> : <span className="good">✓ asked</span>}
                </td>
                <td>{each.answered.toLocaleString()}</td>
                <td>{each.failed.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      <h3>Pending calls</h3>
      {pending.length === 0 ? (
        <p className="hint">None.</p>
      ) : (
        <ul className="words">
          {pending.map((each) => (
            <li key={each.id}>
              {each.resolver}: {each.operation} {shortened(each.type)} <bdi>{shortened(each.instance)}</bdi>, since{' '}
              <Time value={each.since} />, {each.attempts} {each.attempts === 1 ? 'attempt' : 'attempts'}
              {each.error !== null && <p className="fault">{shortened(each.error)}</p>}
            </li>
          ))}
        </ul>
      )}
      {pendingCount > pending.length && <p className="hint">The oldest of {pendingCount.toLocaleString()}.</p>}
    </>
  );
}
