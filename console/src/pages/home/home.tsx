// The first page: the application's own types, how many of each there are, what was changed last, and how to begin.

import { useQuery } from '@tanstack/react-query';
import { readPage } from '../../api/instances.ts';
import { type EntityDescription, useModel } from '../../api/model.ts';
import { asCurl } from '../../api/request.ts';
import { Link } from '../../router.tsx';
import { LastChanges } from './last-changes.tsx';

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
  const { data, isError } = useQuery({
    queryKey: ['count', entity.name],
    queryFn: ({ signal }) => readPage(`${entity.path}?@limit=1&@count=true`, signal),
  });
  return (
    <li className="card">
      <Link to={`/data/${entity.name}`}>{entity.local}</Link>
      <span className="figure">{isError ? 'not counted' : (data?.total?.toLocaleString() ?? '…')}</span>
    </li>
  );
}
