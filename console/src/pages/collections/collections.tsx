// The data of the application: every type that the caller may read, and one of them as a table.

import { type EntityDescription, entityNamed, tabsOf, useModel } from '../../api/model.ts';
import { Count } from '../../components/count.tsx';
import { Missing } from '../../components/missing.tsx';
import { Link, usePlace } from '../../router.tsx';
import { Collection } from './collection.tsx';

export default function Data() {
  const model = useModel();
  const { segments } = usePlace();
  const [, module, local] = segments;
  if (module === undefined || local === undefined) return <Types />;
  const entity = entityNamed(model, `${module}/${local}`);
  if (entity === undefined || entity.operations.read === 'none')
    return (
      <Missing name={`${module}/${local}`}>
        <p>There is no such type, or you may not read it.</p>
      </Missing>
    );
  return <Collection key={entity.name} entity={entity} />;
}

function Types() {
  const { entities, modules } = useModel();
  const readable = entities.filter((each) => each.operations.read !== 'none');
  const groups = [...new Set([...modules, ...readable.map((each) => each.module)])];
  return (
    <div className="page">
      <h1>Data</h1>
      {groups.map((module) => {
        const found = readable.filter((each) => each.module === module);
        return found.length === 0 ? null : (
          <section key={module} aria-labelledby={`data-${module}`}>
            <h2 id={`data-${module}`}>{module}</h2>
            <ul className="types">
              {found.map((entity) => (
                <li key={entity.name}>
                  <Link to={`/data/${entity.name}`}>{entity.name}</Link>
                  <span className="hint">{factsOf(entity)}</span>
                  {!entity.system && !entity.external && <Count entity={entity} />}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** What it is made of, and what it leads to. */
function factsOf(entity: EntityDescription): string {
  const { attributes, parents } = entity;
  const local = (name: string): string => name.slice(name.indexOf('/') + 1);
  const targets = (kind: 'contains' | 'between'): string =>
    [...new Set(tabsOf(entity).flatMap((step) => (step.kind === kind ? [local(step.target)] : [])))].join(', ');
  const [contains, linked] = [targets('contains'), targets('between')];
  const inside = [...new Set(parents.map((each) => local(each.entity)))].join(' or ');
  return [
    `${attributes.length} ${attributes.length === 1 ? 'attribute' : 'attributes'}`,
    inside === '' ? '' : `in ${inside}`,
    contains === '' ? '' : `contains ${contains}`,
    linked === '' ? '' : `linked with ${linked}`,
    entity.external ? 'kept by a resolver' : '',
  ]
    .filter((each) => each !== '')
    .join(' · ');
}
