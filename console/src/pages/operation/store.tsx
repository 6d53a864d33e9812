// The store, its schema, the instances that serve from it, and a backup as a download.

import type { ReactNode } from 'react';
import { Time } from '../../components/value.tsx';
import { Backup } from './backup.tsx';
import { bytesText, durationText } from './figures.ts';
import type { Status } from './status.ts';

const kinds: Readonly<Record<string, string>> = { sqlite: 'SQLite, embedded', postgres: 'PostgreSQL' };

export function StoreSection({ status }: { status: Status }) {
  const { store, schema, process, instances = [], application } = status;
  return (
    <>
      {!store.ready && (
        <div role="alert" className="fault">
          <p>The store cannot be read and written now.</p>
        </div>
      )}
      <dl className="facts">
        <Fact name="Store">
          {kinds[store.type] ?? store.type} {store.version}
        </Fact>
        {store.bytes !== undefined && <Fact name="Size">{bytesText(store.bytes)}</Fact>}
        {schema !== undefined && (
          <Fact name="Schema">
            {schema.fits ? 'fits the model' : 'does not fit the model'}
            {schema.retired > 0 && `, ${schema.retired} retired`}
          </Fact>
        )}
        <Fact name="Application">
          {application.name} {application.version}
        </Fact>
        <Fact name="Running for">
          <span title={process.started}>{durationText(process.seconds)}</span>
        </Fact>
        <Fact name="Runtime">
          Node {process.node.replace(/^v/, '')}, {process.platform}
        </Fact>
      </dl>
      {instances.length > 0 && (
        <>
          <h3>{instances.length === 1 ? '1 instance' : `${instances.length} instances`}</h3>
          <ul className="instances">
            {instances.map((each) => (
              <li key={each.id}>
                <code>{each.id}</code>{' '}
                <span className="hint">
                  {each.address === null ? 'on this machine' : each.address}, began <Time value={each.since} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Backup type={store.type} name={application.name} bytes={store.bytes} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
