// How the service is doing: requests, the store and its schema, migrations, timers, resolvers, and a backup to take along.

import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { MigrationSection } from './migrations.tsx';
import { Requests } from './requests.tsx';
import { ResolverSection } from './resolvers.tsx';
import { useStatus } from './status.ts';
import { StoreSection } from './store.tsx';
import { TimerSection } from './timers.tsx';

export default function Operation() {
  const { data, error } = useStatus();
  const waiting = error === null ? <Skeleton lines={3} label="Loading the status" /> : null;
  return (
    <div className="page operation">
      <h1>Operation</h1>
      {error !== null && <FaultText thrown={error} />}
      <Requests />
      <section aria-labelledby="store">
        <h2 id="store">Store</h2>
        {data === undefined ? waiting : <StoreSection status={data} />}
      </section>
      <section aria-labelledby="migrations">
        <h2 id="migrations">Migrations</h2>
        <MigrationSection />
      </section>
      <section aria-labelledby="timers">
        <h2 id="timers">Timers</h2>
        {data === undefined ? waiting : <TimerSection timers={data.timers} />}
      </section>
      <section aria-labelledby="resolvers">
        <h2 id="resolvers">Resolvers</h2>
        {data === undefined ? waiting : <ResolverSection status={data} />}
      </section>
    </div>
  );
}
