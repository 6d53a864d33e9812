// The first page: the application's own types, how many of each there are, what it can be told to do, what was changed last, and how to begin.

import { type EntityDescription, useModel } from '../../api/model.ts';
import { asCurl } from '../../api/request.ts';
import { Count } from '../../components/count.tsx';
import { Link } from '../../router.tsx';
import { LastChanges } from './last-changes.tsx';

const mostListed = 10;

export default function Home() {
  const model = useModel();
  const own = model.entities.filter((each) => !each.system && each.operations.read !== 'none');
  return (
    <div className="page">
      <h1>{model.application.name}</h1>
      <p className="hint">
        Version {model.application.version} · <a href="/docs">API reference</a>
      </p>
      {model.modules.map((module) => {
        const entities = own.filter((each) => each.module === module);
        return entities.length === 0 ? null : (
          <section key={module} aria-labelledby={`module-${module}`}>
            <h2 id={`module-${module}`}>{module}</h2>
            <ul className="cards">
              {entities.map((entity) => (
                <EntityCard key={entity.name} entity={entity} />
              ))}
            </ul>
          </section>
        );
      })}
      <EventsAndAgents />
      <LastChanges />
      {own.length === 0 && <p>There is no type that you may read. An admin can give you a role that may.</p>}
      {own[0] !== undefined && (
        <section aria-labelledby="try">
          <h2 id="try">Try the API</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
          <pre className="code" tabIndex={0}>
            {asCurl({ path: own[0].path })}
          </pre>
        </section>
      )}
    </div>
  );
}

function EntityCard({ entity }: { entity: EntityDescription }) {
  return (
    <li className="card">
      <Link to={`/data/${entity.name}`}>{entity.local}</Link>
      {entity.external ? <span className="hint">kept by a resolver</span> : <Count entity={entity} />}
    </li>
  );
}

/** What the application can be told to do, and who can be talked to. */
function EventsAndAgents() {
  const { events, agents } = useModel();
  const groups = [
    { name: 'Events', at: 'events', all: events.filter((each) => each.mayRun) },
    { name: 'Agents', at: 'agents', all: agents.filter((each) => each.mayRun) },
  ];
  return groups.map(({ name, at, all }) =>
    all.length === 0 ? null : (
      <section key={at} aria-labelledby={`home-${at}`}>
        <h2 id={`home-${at}`}>{name}</h2>
        <ul className="cards">
          {all.slice(0, mostListed).map((each) => (
            <li key={each.name} className="card">
              <Link to={`/${at}/${each.name}`}>{each.local}</Link>
            </li>
          ))}
        </ul>
        {all.length > mostListed && (
          <p>
            <Link to={`/${at}`}>All {all.length.toLocaleString()}</Link>
          </p>
        )}
      </section>
    ),
  );
}
