// Whether somebody may do something, and why: each way in which it could be allowed, with what of it holds.

import type { AccessAnswer, AccessWay } from '../../api/access.ts';
import { shortened } from '../value.tsx';

export function WhyAnswer({ answer }: { answer: AccessAnswer }) {
  const { user, roles, operation, on, allowed, status, notes, ways } = answer;
  const said = allowed === true ? 'Allowed' : allowed === false ? 'Denied' : 'It depends on what the new instance holds';
  return (
    <section aria-label="Answer" role="status" className="why">
      <p className={allowed === true ? 'verdict good' : allowed === false ? 'verdict bad' : 'verdict'}>
        <strong>{said}</strong>
        {status !== null && <span>: the request is answered with {status}</span>}
      </p>
      <p className="hint">
        {operation} <bdi>{shortened(on)}</bdi> by <bdi>{shortened(user)}</bdi> (
        {roles.length === 0 ? 'no roles' : `roles: ${shortened(roles.join(', '))}`})
      </p>
      {notes.map((note) => (
        <p key={note}>{shortened(note)}</p>
      ))}
      <ul className="ways">
        {ways.map((way) => (
          <Way key={JSON.stringify(way)} way={way} />
        ))}
      </ul>
    </section>
  );
}

function Way({ way }: { way: AccessWay }) {
  return (
    <li>
      <Holds holds={way.holds} /> <strong>{way.who}</strong>
      {way.rules.map(({ file, line, text }) => (
        <p key={`${file} ${line}`}>
          <code className="code">{text}</code>{' '}
          <small>
            {file}:{line}
          </small>
        </p>
      ))}
      <ul>
        {way.tests.map(({ text, holds }) => (
          <li key={text}>
            <Holds holds={holds} /> <bdi>{shortened(text)}</bdi>
          </li>
        ))}
        {way.owned.map(({ type, id, owners }) => (
          <li key={`${type} ${String(id)}`}>
            {type} <bdi>{shortened(String(id))}</bdi> is owned by {owners.length === 0 ? 'nobody' : shortened(owners.join(', '))}
          </li>
        ))}
        {way.grants.map(({ assignee, actions }) => (
          <li key={`${assignee} ${actions.join()}`}>
            {actions.join(', ')} granted to {assignee}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Holds({ holds }: { holds: boolean | null }) {
  const [sign, text, name] =
    holds === true ? ['✓', 'holds', 'good'] : holds === false ? ['✗', 'does not hold', 'bad'] : ['?', 'depends', ''];
  return (
    <span className={name}>
      <span aria-hidden="true">{sign}</span>
      <span className="visually-hidden">{text}:</span>
    </span>
  );
}
