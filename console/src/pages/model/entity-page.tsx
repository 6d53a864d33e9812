// One entity: its attributes, relationships, rules, triggers, and the paths by which the API reaches it.

import { useQuery } from '@tanstack/react-query';
import type { EntityRules } from '../../../../src/http/platform/description.ts';
import { type AttributeDescription, type EntityDescription, tabsOf, useModel } from '../../api/model.ts';
import { call } from '../../api/request.ts';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { shortened, textOf } from '../../components/value.tsx';
import { Link } from '../../router.tsx';

export function EntityPage({ entity }: { entity: EntityDescription }) {
  const { caller } = useModel();
  return (
    <div className="page">
      <p>
        <Link to={`/model/${encodeURIComponent(entity.module)}`}>Model of {entity.module}</Link>
      </p>
      <h1>{entity.name}</h1>
      <p className="hint">
        {factsOf(entity)}
        {entity.operations.read !== 'none' && (
          <>
            {' · '}
            <Link to={`/data/${entity.name}`}>Data</Link>
          </>
        )}
      </p>
      <Attributes attributes={entity.attributes} />
      <Relationships entity={entity} />
      {caller.isAdmin && <Rules entity={entity} />}
      <Paths entity={entity} />
    </div>
  );
}

function factsOf({ identifier, contained, rootable, searchable, parents }: EntityDescription): string {
  return [
    `known by ${identifier}`,
    contained ? `stands in ${parents.map((each) => each.entity).join(' or ')}${rootable ? ', or alone' : ''}` : '',
    searchable ? 'its texts are searched' : '',
  ]
    .filter((each) => each !== '')
    .join(' · ');
}

function Attributes({ attributes }: { attributes: readonly AttributeDescription[] }) {
  return (
    <section aria-labelledby="attributes">
      <h2 id="attributes">Attributes</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <div className="scroll" tabIndex={0}>
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">What holds</th>
            </tr>
          </thead>
          <tbody>
            {attributes.map((each) => (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td>
                  {each.list ? 'list of ' : ''}
                  {each.type}
                </td>
                <td>{holdsOf(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function holdsOf(attribute: AttributeDescription): string {
  const { reference, enum: choices, format, default: fallback, defaultValue, comment } = attribute;
  const facts = [
    attribute.identifier ? 'identifier' : '',
    attribute.required ? 'required' : '',
    attribute.unique ? 'unique' : '',
    attribute.computed ? 'computed' : attribute.readOnly ? 'read-only' : '',
    attribute.secret ? 'secret' : attribute.writeOnly ? 'never shown' : '',
    reference === undefined ? '' : `refers to ${reference.entity}.${reference.attribute}`,
    choices === undefined ? '' : `one of ${choices.map(textOf).join(', ')}`,
    format === undefined ? '' : `matches ${format}`,
    defaultValue === undefined
      ? fallback === undefined
        ? ''
        : `${defaults[fallback] ?? fallback} when absent`
      : `${textOf(defaultValue)} when absent`,
    comment ?? '',
  ];
  return shortened(facts.filter((each) => each !== '').join(' · '));
}

const defaults: Readonly<Record<string, string>> = {
  uuid: 'a new UUID',
  now: 'the time',
  'local-now': 'the local time',
  autoincrement: 'the next number',
  function: 'the value of a function',
  value: 'a value',
};

function Relationships({ entity }: { entity: EntityDescription }) {
  const steps = tabsOf(entity);
  if (steps.length + entity.parents.length === 0) return null;
  return (
    <section aria-labelledby="relationships">
      <h2 id="relationships">Relationships</h2>
      <ul className="rows">
        {entity.parents.map(({ relationship, entity: parent }) => (
          <li key={`in ${relationship}`}>
            <strong>{localOf(relationship)}</strong> stands in <Link to={`/model/${parent}`}>{parent}</Link>
          </li>
        ))}
        {steps.map((step) => (
          <li key={`${step.relationship} ${step.name}`}>
            <strong>{step.local}</strong> {step.kind === 'contains' ? 'contains' : 'is linked with'}{' '}
            <Link to={`/model/${step.target}`}>{step.target}</Link>
            {step.linkAttributes.length > 0 && <small>with {step.linkAttributes.map((each) => each.name).join(', ')}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function localOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Told to admins alone. */
function Rules({ entity }: { entity: EntityDescription }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['explain entity', entity.name],
    queryFn: async ({ signal }): Promise<EntityRules> => {
      const { body } = await call({ path: `/platform/explain?entity=${encodeURIComponent(entity.name)}`, signal });
      // Made by the service from the type that is imported above.
      return Object(body);
    },
    staleTime: 60_000,
  });
  if (error !== null) return <FaultText thrown={error} />;
  if (isPending) return <Skeleton lines={3} label="Loading the rules" />;
  const { rules, triggers, uniques } = data;
  return (
    <>
      <section aria-labelledby="rules">
        <h2 id="rules">Rules</h2>
        {rules.length + uniques.length === 0 && <p className="hint">No rule of its own says who may do what with it.</p>}
        <ul className="rows">
          {uniques.map((names) => (
            <li key={names.join(' ')}>{names.join(' and ')} are unique together</li>
          ))}
          {rules.map((each) => (
            <li key={each}>
              <code>{each}</code>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="triggers">
        <h2 id="triggers">Triggers</h2>
        {triggers.length === 0 && <p className="hint">Nothing runs when an instance is created, changed or deleted.</p>}
        <ul className="rows">
          {triggers.map((each) => (
            <li key={`${each.when} ${each.operation} ${each.line}`}>
              <strong>
                {each.when} {each.operation}
              </strong>
              <code>{each.runs}</code>
              <small>line {each.line}</small>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Paths({ entity }: { entity: EntityDescription }) {
  const { path, identifier, operations, contained, rootable } = entity;
  const one = `${path}/{${identifier}}`;
  const may = (operation: keyof typeof operations): boolean => operations[operation] !== 'none';
  const paths: readonly (readonly [boolean, string, string])[] = [
    [may('read'), `GET ${path}`, 'lists, filters and sorts instances'],
    [may('create') && (!contained || rootable), `POST ${path}`, 'creates one or many'],
    [may('read') && !contained, `GET ${one}`, 'reads one'],
    [may('update') && !contained, `PUT ${one}`, 'changes what the body names'],
    [may('delete') && !contained, `DELETE ${one}`, 'deletes it, and what it contains'],
    ...(contained ? [] : tabsOf(entity)).map(
      (step) => [true, `GET ${one}/${step.segment}/${step.name}`, `lists its ${step.name}`] as const,
    ),
  ];
  return (
    <section aria-labelledby="paths">
      <h2 id="paths">Paths</h2>
      {contained && <p className="hint">Each instance is reached below the one that it stands in; its `__path__` tells where.</p>}
      <ul className="rows">
        {paths
          .filter(([isOffered]) => isOffered)
          .map(([, text, what]) => (
            <li key={text}>
              <code>{text}</code> <span className="hint">{what}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}
