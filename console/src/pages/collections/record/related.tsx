// What an instance contains or is linked to, by one relationship: to open, make, link and unlink.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { entityAt, linking, pathOf, perform, type Row, readPage } from '../../../api/instances.ts';
import {
  type EntityDescription,
  entityNamed,
  type ModelDescription,
  type StepDescription,
  titleAttribute,
  useModel,
} from '../../../api/model.ts';
import { call } from '../../../api/request.ts';
import { mayAt, rightsPath } from '../../../api/rights.ts';
import { CopyAsCurl } from '../../../components/curl.tsx';
import { FaultText, messageOf } from '../../../components/fault-text.tsx';
import { InstanceSearch } from '../../../components/instance-search.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { toast } from '../../../components/toast.tsx';
import { shortened, textOf } from '../../../components/value.tsx';
import { Link, queryText } from '../../../router.tsx';
import { isLinkReadWhole } from './deletion.ts';
import { NewRecord } from './new-record.tsx';

export function Related({ path, row: parent, step }: { path: string; row: Row; step: StepDescription }) {
  const model = useModel();
  const client = useQueryClient();
  const entity = entityNamed(model, step.target);
  const collection = `${path}/${step.segment}/${step.name}`;
  const [isMaking, setMaking] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const [searched, setSearched] = useState('');
  const [thrown, setThrown] = useState<unknown>();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const asked = entity === undefined ? '' : rightsPath(model, entity, `${collection}?@limit=50&@count=true`);
  const list = useQuery({ queryKey: ['related', asked], queryFn: ({ signal }) => readPage(asked, signal), enabled: asked !== '' });
  const from = entityAt(model, path);
  if (entity === undefined || from === undefined) return null;
  const isLink = step.kind === 'between';
  const title = titleAttribute(entity);
  const act = async (work: () => Promise<unknown>, said: string, undo?: () => unknown): Promise<void> => {
    try {
      setThrown(undefined);
      await work();
      toast(said, undo && { name: 'Undo', run: undo });
      await client.invalidateQueries({ queryKey: ['related'] });
    } catch (failure) {
      // Undo is offered also when the tab has been left.
      if (isShown.current) setThrown(failure);
      else toast(`${step.local}: ${messageOf(failure)}`);
    }
  };
  const linkTo = (row: Row) => perform(linking(model, { step, from: { entity: from, row: parent }, to: { entity, row } }));
  const unlinkFrom = (row: Row) => call({ method: 'DELETE', path: `${collection}/${encodeURIComponent(String(row[entity.identifier]))}` });
  const link = (row: Row) =>
    act(
      async () => {
        await linkTo(row);
        setLinking(false);
        setSearched('');
      },
      'Linked',
      () => act(() => unlinkFrom(row), 'Unlinked again'),
    );
  const unlink = (row: Row) =>
    act(() => unlinkFrom(row), 'Unlinked', isLinkReadWhole(step, model) ? () => act(() => linkTo(row), 'Linked again') : undefined);
  const noLink =
    !isLink || mayAt('link', model, step, parent) ? undefined : `No rule or ownership gives you the right to link by ${step.local}.`;
  const noNew = isLink ? (noLink ?? whyNone(entity)) : whyNoChild(model, step, parent);
  return (
    <>
      <div className="toolbar">
        {isLink && (
          <button
            type="button"
            aria-expanded={isLinking}
            disabled={noLink !== undefined}
            title={noLink}
            onClick={() => setLinking(!isLinking)}
          >
            Link
          </button>
        )}
        <button type="button" disabled={noNew !== undefined} title={noNew} onClick={() => setMaking(true)}>
          New {entity.local}
        </button>
        <span className="spacer" />
        <CopyAsCurl asked={() => ({ path: asked })} />
      </div>
      {(noLink ?? noNew) !== undefined && <p className="hint">{noLink ?? noNew}</p>}
      {isLinking && (
        <InstanceSearch
          label={`Search ${entity.local}`}
          entity={entity}
          text={searched}
          isOffered={(row) => mayAt('link', model, step, row)}
          onText={setSearched}
          onChoose={link}
        />
      )}
      {thrown !== undefined && <FaultText thrown={thrown} />}
      {list.isError && <FaultText thrown={list.error} />}
      {list.isPending && <Skeleton lines={3} label={`Loading ${step.local}`} />}
      {list.data?.rows.length === 0 && <p className="hint">None yet.</p>}
      <ul className="rows">
        {list.data?.rows.map((row) => {
          const at = pathOf(entity, row);
          const name = shortened(textOf(row[title] ?? row[entity.identifier]));
          return (
            <li key={at}>
              <Link to={`/data/${entity.name}${queryText(new URLSearchParams({ '@record': at }))}`}>
                <bdi>{name}</bdi>
              </Link>
              {title !== entity.identifier && <small>{shortened(textOf(row[entity.identifier]))}</small>}
              <span className="spacer" />
              {isLink && mayAt('unlink', model, step, parent) && mayAt('unlink', model, step, row) && (
                <button type="button" className="quiet" aria-label={`Unlink ${name}`} onClick={() => unlink(row)}>
                  Unlink
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {list.data !== undefined && (list.data.total ?? 0) > list.data.rows.length && (
        <p className="hint">50 of {list.data.total?.toLocaleString()} are shown.</p>
      )}
      {isMaking && (
        <NewRecord
          entity={entity}
          path={collection}
          onClose={() => setMaking(false)}
          onCreated={() => {
            setMaking(false);
            client.invalidateQueries({ queryKey: ['related'] });
          }}
        />
      )}
    </>
  );
}

function whyNone({ name, operations, contained, rootable }: EntityDescription): string | undefined {
  if (operations.create === 'none') return `No rule gives you the right to create instances of ${name}.`;
  return contained && !rootable ? 'It is made in what contains it.' : undefined;
}

function whyNoChild(model: ModelDescription, step: StepDescription, parent: Row): string | undefined {
  return mayAt('create', model, step, parent) ? undefined : `No rule or ownership gives you the right to create a ${step.target} in this.`;
}
