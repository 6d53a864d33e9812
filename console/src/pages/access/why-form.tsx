// May somebody do something, and why: any user, operation, type and instance. What is asked is in the address.

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { accessOperations, askAccess, questionPath } from '../../api/access.ts';
import { type ModelDescription, useModel } from '../../api/model.ts';
import { UserInput } from '../../components/access/user-input.tsx';
import { WhyAnswer } from '../../components/access/why.tsx';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Choice } from '../../components/form/choice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useParameters } from '../../router.tsx';

interface Asked {
  readonly user: string;
  readonly operation: string;
  readonly type: string;
  readonly instance: string;
}

export function Why() {
  const model = useModel();
  const [parameters, change] = useParameters();
  const given: Asked = {
    user: parameters.get('user') ?? '',
    operation: parameters.get('operation') ?? 'read',
    type: parameters.get('type') ?? '',
    instance: parameters.get('instance') ?? '',
  };
  const [asked, setAsked] = useState(given);
  const types = typesOf(model);
  const type = asked.type === '' ? (types[0]?.name ?? '') : asked.type;
  const isRun = types.find((each) => each.name === type)?.isRun === true;
  const operations = accessOperations.filter((each) => (each === 'execute') === isRun);
  const operation = operations.some((each) => each === asked.operation) ? asked.operation : (operations[0] ?? '');
  const put = (changes: Partial<Asked>): void => setAsked({ ...asked, ...changes });
  const check = (event: FormEvent): void => {
    event.preventDefault();
    change({ user: asked.user, operation, type, instance: asked.instance === '' ? undefined : asked.instance });
  };
  return (
    <div className="columns">
      <form onSubmit={check} className="stacked" aria-label="May somebody do something, and why">
        <UserInput label="User" value={asked.user} onChange={(user) => put({ user })} />
        <Choice label="Operation" value={operation} options={operations} onChange={(next) => put({ operation: next })} />
        <Choice label="Type" value={type} options={types.map(({ name }) => name)} onChange={(next) => put({ type: next })} />
        <label>
          Instance
          <input
            value={asked.instance}
            disabled={isRun}
            placeholder="identifier, or a path such as /blog/Post/1/PostComment/Comment/2"
            onChange={(event) => put({ instance: event.target.value })}
          />
        </label>
        <p className="hint">
          {isRun
            ? 'An event or agent is run: it has no instances.'
            : 'To create, leave it empty, or give the path of a collection under a parent.'}
        </p>
        <div className="buttons">
          <button type="submit" className="primary">
            Check
          </button>
          <span className="spacer" />
          <CopyAsCurl asked={() => ({ path: questionPath({ user: asked.user, operation, on: targetOf(model, { ...asked, type }) }) })} />
        </div>
      </form>
      {parameters.has('user') && <Answer asked={given} />}
    </div>
  );
}

function Answer({ asked }: { asked: Asked }) {
  const model = useModel();
  const question = { user: asked.user, operation: asked.operation, on: targetOf(model, asked) };
  const { data, error } = useQuery({ queryKey: ['why', question], queryFn: () => askAccess(question), staleTime: 0, retry: false });
  if (error !== null) return <FaultText thrown={error} />;
  return data === undefined ? <Skeleton lines={5} label="Asking" /> : <WhyAnswer answer={data} />;
}

function typesOf(model: ModelDescription): readonly { readonly name: string; readonly path: string; readonly isRun: boolean }[] {
  const kept = model.entities.filter((each) => !each.system).map(({ name, path }) => ({ name, path, isRun: false }));
  const links = model.relationships.flatMap(({ name, path }) => (path === undefined ? [] : [{ name, path, isRun: false }]));
  const run = [...model.events, ...model.agents].map(({ name, path }) => ({ name, path, isRun: true }));
  return [...kept, ...links, ...run];
}

/** A path is taken as it is, also the `__path__` of what stands in something; an identifier stands in the type's own collection. */
function targetOf(model: ModelDescription, { type, instance }: Asked): string {
  const path = typesOf(model).find((each) => each.name === type)?.path ?? '';
  if (instance === '') return path;
  return instance.startsWith('/') || instance.startsWith('path://') ? instance : `${path}/${encodeURIComponent(instance)}`;
}
