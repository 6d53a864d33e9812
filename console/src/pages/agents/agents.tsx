// The agents of the application, what waits for somebody to approve of it or to give it data, and one of them to talk to.

import { useQuery } from '@tanstack/react-query';
import { type AgentDescription, useModel } from '../../api/model.ts';
import { asCurl } from '../../api/request.ts';
import { Code } from '../../components/code.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Missing } from '../../components/missing.tsx';
import { Link, usePlace } from '../../router.tsx';
import { AgentPage } from './agent-page.tsx';
import { Approval } from './approval.tsx';
import { RunLine } from './run-tree.tsx';
import { messageTo, readRuns, runEntity } from './runs.ts';

export default function Agents() {
  const { agents } = useModel();
  const { segments } = usePlace();
  const [, module, local] = segments;
  if (module === undefined || local === undefined) return <AgentList agents={agents.filter((each) => each.mayRun)} />;
  const agent = agents.find((each) => each.name === `${module}/${local}`);
  if (agent === undefined)
    return (
      <Missing name={`${module}/${local}`}>
        <p>There is no such agent, or it takes part in flows alone: those that are not `@public` are not asked from outside.</p>
      </Missing>
    );
  return <AgentPage key={agent.name} agent={agent} />;
}

function AgentList({ agents }: { agents: readonly AgentDescription[] }) {
  const [first] = agents;
  return (
    <div className="page">
      <h1>Agents</h1>
      <Waiting />
      {agents.length > 0 && (
        <section aria-labelledby="agents">
          <h2 id="agents">To talk to</h2>
          <ul className="types">
            {agents.map((agent) => (
              <li key={agent.name}>
                <Link to={`/agents/${agent.name}`}>{agent.name}</Link>
                <span className="hint">{factsOf(agent)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {agents.length === 0 && <p className="hint">There is no agent to talk to. Runs that wait for data stand here too.</p>}
      <RecentRuns />
      {first !== undefined && (
        <section aria-labelledby="try">
          <h2 id="try">Try the API</h2>
          <Code text={asCurl({ method: 'POST', path: first.path, body: messageTo(first.name, 'Hello', 'first') })} />
        </section>
      )}
    </div>
  );
}

function factsOf({ flow, tools }: AgentDescription): string {
  const uses = tools.length === 0 ? 'uses no tools' : `uses ${tools.slice(0, 4).join(', ')}${tools.length > 4 ? ' …' : ''}`;
  return flow === undefined ? uses : `runs the flow ${flow}`;
}

function Waiting() {
  const entity = runEntity(useModel());
  const { data = [] } = useQuery({
    queryKey: ['runs', 'waiting'],
    queryFn: ({ signal }) => (entity === undefined ? [] : readRuns(entity, { status: 'waiting' }, signal)),
    refetchInterval: 10_000,
  });
  if (entity === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waiting for approval or data</h2>
      <ul>
        {data.map((run) => (
          <li key={run.id}>
            <Approval entity={entity} id={run.id} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RecentRuns() {
  const model = useModel();
  const entity = runEntity(model);
  const { data, error } = useQuery({
    queryKey: ['runs', 'recent'],
    queryFn: ({ signal }) => (entity === undefined ? [] : readRuns(entity, {}, signal)),
  });
  if (error !== null) return <FaultText thrown={error} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent runs</h2>
      <ul className="rows runs">
        {data.map((run) => (
          <li key={run.id}>
            <RunLine run={run} isLinked={model.agents.some((each) => each.name === run.agent)} />
            <small>{run.agent}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
