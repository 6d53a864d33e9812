// An agent to talk to: the conversation, and beside it the run of the last message, with the path through its flow.

import { useQuery } from '@tanstack/react-query';
import { type Dispatch, type FormEvent, type KeyboardEvent, type SetStateAction, useEffect, useRef, useState } from 'react';
import { type AgentDescription, useModel } from '../../api/model.ts';
import { asCurl, type Call } from '../../api/request.ts';
import { Code } from '../../components/code.tsx';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { textOf, visible } from '../../components/value.tsx';
import { useParameters } from '../../router.tsx';
import { Approval } from './approval.tsx';
import { type Exchange, type Talk, useConversation } from './conversation.ts';
import { FlowGraph } from './flow-graph.tsx';
import { RunActions } from './run-actions.tsx';
import { errorText, RunLine, RunTree } from './run-tree.tsx';
import { messageTo, type Run, readRun, readRuns, runEntity, untilReadAgain } from './runs.ts';

export function AgentPage({ agent }: { agent: AgentDescription }) {
  const talk = useConversation(agent);
  const [parameters] = useParameters();
  const [text, setText] = useState('');
  const asked = (): Call => ({ method: 'POST', path: agent.path, body: messageTo(agent.name, text, talk.name) });
  return (
    <div className="page two-sides whole">
      <div className="chat">
        <div className="page-head">
          <h1>{agent.name}</h1>
          <button type="button" disabled={talk.exchanges.length === 0 || talk.isBusy} onClick={talk.beginAnew}>
            New conversation
          </button>
        </div>
        <Said agent={agent} talk={talk} asked={asked} />
        <MessageForm agent={agent} talk={talk} text={text} setText={setText} />
        <div className="buttons">
          <CopyAsCurl asked={asked} />
        </div>
      </div>
      <div>
        <RunOf agent={agent} chosen={parameters.get('@run') ?? undefined} last={talk.exchanges.at(-1)} />
        <Earlier agent={agent} />
      </div>
    </div>
  );
}

function Said({ agent, talk, asked }: { agent: AgentDescription; talk: Talk; asked: () => Call }) {
  const end = useRef<HTMLDivElement>(null);
  const last = talk.exchanges.at(-1);
  const length = (last?.run.saying.length ?? 0) + talk.exchanges.length + (last?.run.status.length ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is said.
  useEffect(() => {
    // In newer browsers it gives a promise, which is nothing to clean up with.
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <section aria-label="Conversation" className="conversation" tabIndex={0} aria-live="polite" aria-busy={talk.isBusy}>
      {talk.exchanges.length === 0 && (
        <div className="hint">
          <p>Nothing has been said yet. Say something below, or in a terminal:</p>
          <Code text={asCurl({ ...asked(), body: messageTo(agent.name, 'Hello', talk.name) })} />
        </div>
      )}
      {talk.exchanges.map((each, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was said stays where it is.
        <ExchangeView key={at} exchange={each} isLast={at === talk.exchanges.length - 1} isBusy={talk.isBusy} note={talk.note} />
      ))}
      <div ref={end} />
    </section>
  );
}

interface ExchangeParts {
  readonly exchange: Exchange;
  readonly isLast: boolean;
  readonly isBusy: boolean;
  readonly note: (run: Run) => void;
}

function ExchangeView({ exchange: { message, run, thrown }, isLast, isBusy, note }: ExchangeParts) {
  const entity = runEntity(useModel());
  return (
    <>
      <p className="bubble mine">
        <span className="visually-hidden">You: </span>
        <bdi>{visible(message)}</bdi>
      </p>
      {thrown !== undefined ? (
        <FaultText thrown={thrown} />
      ) : run.status === 'waiting' && entity !== undefined ? (
        <Approval entity={entity} id={run.id} onDecided={note} />
      ) : run.error !== undefined && run.error !== null ? (
        <FaultText thrown={new Error(errorText(run.error))} />
      ) : run.status === 'succeeded' ? (
        <Answer text={textOf(run.result)} />
      ) : isLast && isBusy ? (
        run.saying === '' ? (
          <Skeleton lines={2} label="The agent thinks" />
        ) : (
          <Answer text={run.saying} />
        )
      ) : (
        <p className="hint">The run is {run.status}.</p>
      )}
    </>
  );
}

function Answer({ text }: { text: string }) {
  return (
    <p className="bubble theirs">
      <span className="visually-hidden">The agent: </span>
      <bdi>{text === '' ? 'It said nothing.' : visible(text)}</bdi>
    </p>
  );
}

interface FormParts {
  readonly agent: AgentDescription;
  readonly talk: Talk;
  readonly text: string;
  readonly setText: Dispatch<SetStateAction<string>>;
}

function MessageForm({ agent, talk, text, setText }: FormParts) {
  const [, change] = useParameters();
  const reason = agent.mayRun ? undefined : 'You may not ask this agent.';
  const submit = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    const message = text.trim();
    if (message === '' || talk.isBusy || reason !== undefined) return;
    change({ '@run': undefined }, 'replace');
    setText('');
    // What was not heard stands in the field again, unless something else was typed meanwhile.
    if (!(await talk.say(message))) setText((now) => (now === '' ? message : now));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={submit} className="message" aria-label="Message">
      <textarea
        aria-label="Message"
        rows={2}
        dir="auto"
        value={text}
        disabled={reason !== undefined}
        placeholder="Enter sends, Shift-Enter begins a line"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {/* Two buttons, not one that changes: a click on Stop would send what was typed meanwhile. */}
      {talk.isBusy ? (
        <button key="stop" type="button" onClick={talk.stop}>
          Stop
        </button>
      ) : (
        <button key="send" type="submit" className="primary" disabled={text.trim() === '' || reason !== undefined} title={reason}>
          Send
        </button>
      )}
    </form>
  );
}

/** The one that the address names, else that of the last message. */
function RunOf({ agent, chosen, last }: { agent: AgentDescription; chosen: string | undefined; last: Exchange | undefined }) {
  const model = useModel();
  const entity = runEntity(model);
  const flow = model.flows.find((each) => each.name === agent.flow);
  const { data, error } = useQuery({
    queryKey: ['run', chosen],
    queryFn: ({ signal }) => (entity === undefined || chosen === undefined ? null : readRun(entity, chosen, signal)),
    enabled: chosen !== undefined,
    refetchInterval: ({ state }) => untilReadAgain(state.data?.status),
  });
  const run = chosen === undefined ? last?.run : (data ?? undefined);
  return (
    <section aria-label="Run" className="boxed">
      <h2>Run</h2>
      {error !== null && <FaultText thrown={error} />}
      {run === undefined && error === null && (
        <p className="hint">Steps, calls of tools, tokens and cost of a message are shown here while it is answered.</p>
      )}
      {run !== undefined && <RunTree run={run} />}
      {chosen !== undefined && run?.status === 'waiting' && entity !== undefined && <Approval entity={entity} id={run.id} />}
      {chosen !== undefined && run !== undefined && entity !== undefined && <RunActions key={run.id} entity={entity} run={run} />}
      {chosen !== undefined && run?.result !== undefined && run.result !== null && <Answer text={textOf(run.result)} />}
      {flow !== undefined && <FlowGraph flow={flow} steps={run?.steps ?? []} />}
    </section>
  );
}

function Earlier({ agent }: { agent: AgentDescription }) {
  const entity = runEntity(useModel());
  const { data = [] } = useQuery({
    queryKey: ['runs', agent.name],
    queryFn: ({ signal }) => (entity === undefined ? [] : readRuns(entity, { agent: agent.name }, signal)),
  });
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier">Earlier runs</h2>
      <ul className="rows runs">
        {data.map((run) => (
          <li key={run.id}>
            <RunLine run={run} />
          </li>
        ))}
      </ul>
    </section>
  );
}
