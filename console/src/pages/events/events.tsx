// The events of the application: those that the caller may run, and one of them as a form.

import { type EventDescription, useModel } from '../../api/model.ts';
import { Missing } from '../../components/missing.tsx';
import { Link, usePlace } from '../../router.tsx';
import { EventForm } from './event-form.tsx';

export default function Events() {
  const { events } = useModel();
  const { segments } = usePlace();
  const [, module, local] = segments;
  if (module === undefined || local === undefined) return <EventList events={events.filter((each) => each.mayRun)} />;
  const event = events.find((each) => each.name === `${module}/${local}`);
  if (event === undefined)
    return (
      <Missing name={`${module}/${local}`}>
        <p>There is no such event.</p>
      </Missing>
    );
  return <EventForm key={event.name} event={event} />;
}

function EventList({ events }: { events: readonly EventDescription[] }) {
  const modules = [...new Set(events.map((each) => each.module))];
  return (
    <div className="page">
      <h1>Events</h1>
      <p className="hint">What the application can be told to do. Each event runs its workflow in one transaction.</p>
      {modules.map((module) => (
        <section key={module} aria-labelledby={`events-${module}`}>
          <h2 id={`events-${module}`}>{module}</h2>
          <ul className="types">
            {events
              .filter((each) => each.module === module)
              .map((event) => (
                <li key={event.name}>
                  <Link to={`/events/${event.name}`}>{event.name}</Link>
                  <span className="hint">{factsOf(event)}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function factsOf({ attributes, open, schedule }: EventDescription): string {
  const names = attributes.slice(0, 6).map((each) => each.name);
  const taken = open ? 'takes any attributes' : names.length === 0 ? 'takes nothing' : names.join(', ');
  return [taken + (attributes.length > names.length ? ' …' : ''), ...(schedule === undefined ? [] : [`runs ${schedule}`])].join(' · ');
}
