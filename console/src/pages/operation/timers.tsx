// Timers and schedules that are kept: when they are due, what came of them.

import { shortened, Time } from '../../components/value.tsx';
import { Scrolled } from './scrolled.tsx';
import type { Timer } from './status.ts';

export function TimerSection({ timers }: { timers: readonly Timer[] | undefined }) {
  if (timers === undefined) return <p className="hint">Not known while the store cannot be asked.</p>;
  if (timers.length === 0)
    return (
      <>
        <p className="hint">
          None. An event that is marked with <code>@schedule</code> is run by the clock:
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
        <pre className="code" tabIndex={0}>
          {'@schedule("every 5 minutes")\nevent tidyUp {}'}
        </pre>
      </>
    );
  return (
    <Scrolled name="Table of timers">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Timer</th>
            <th scope="col">When</th>
            <th scope="col">Due</th>
            <th scope="col">Last run</th>
            <th scope="col" className="figure">
              Runs
            </th>
          </tr>
        </thead>
        <tbody>
          {timers.map((each) => (
            <tr key={each.name}>
              <th scope="row">
                {shortened(each.name)}
                {each.trigger !== each.name && <small> runs {shortened(each.trigger)}</small>}
                {each.user !== null && <small> for {shortened(each.user)}</small>}
                {each.error !== null && <p className="fault">{shortened(each.error)}</p>}
              </th>
              <td>{shortened(each.when)}</td>
              <td>{each.due === null ? '–' : <Time value={each.due} />}</td>
              <td>{each.last === null ? 'never' : <Time value={each.last} />}</td>
              <td className="figure">{each.runs.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
