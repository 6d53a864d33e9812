// The model of the application: a drawing of each module, the page of each entity, and for admins its source and its migrations.

import { lazy, Suspense } from 'react';
import { entityNamed, type ModelDescription, useModel } from '../../api/model.ts';
import { Missing } from '../../components/missing.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Link, navigate, useParameters, usePlace } from '../../router.tsx';
import { EntityPage } from './entity-page.tsx';
import { ModelDiagram } from './model-diagram.tsx';

const Source = lazy(() => import('./source.tsx'));
const Migrations = lazy(() => import('./migrations.tsx'));

export default function Model() {
  const model = useModel();
  const { segments } = usePlace();
  const [, module, local] = segments;
  if (module !== undefined && local !== undefined) {
    const entity = entityNamed(model, `${module}/${local}`);
    if (entity !== undefined) return <EntityPage key={entity.name} entity={entity} />;
    return <Unknown name={`${module}/${local}`} />;
  }
  const modules = modulesOf(model);
  const shown = module ?? modules[0];
  if (shown === undefined) return <NoEntities />;
  if (!modules.includes(shown)) return <Unknown name={shown} />;
  return <Views modules={modules} module={shown} />;
}

/** Those with something to draw; what the application brings before what the service does. */
function modulesOf({ modules, entities }: ModelDescription): readonly string[] {
  const drawn = new Set(entities.map((each) => each.module));
  return [...new Set([...modules.filter((each) => drawn.has(each)), ...drawn])];
}

function Views({ modules, module }: { modules: readonly string[]; module: string }) {
  const { caller } = useModel();
  const [parameters, change] = useParameters();
  const views = ['Diagram', ...(caller.isAdmin ? ['Source', 'Migrations'] : [])];
  const wanted = parameters.get('@tab') ?? 'Diagram';
  const view = views.includes(wanted) ? wanted : 'Diagram';
  return (
    <div className="page whole">
      <div className="page-head">
        <h1>Model</h1>
        {view === 'Diagram' && modules.length > 1 && (
          <label className="inline">
            Module
            <select value={module} onChange={(event) => navigate(`/model/${encodeURIComponent(event.target.value)}`)}>
              {modules.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {views.length > 1 && (
        <div role="tablist" aria-label="Views of the model" className="tabs">
          {views.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`view-${each}`}
              aria-selected={each === view}
              aria-controls="view"
              tabIndex={each === view ? 0 : -1}
              onClick={() => change({ '@tab': each === 'Diagram' ? undefined : each })}
              onKeyDown={(event) => {
                const by = { ArrowRight: 1, ArrowLeft: views.length - 1 }[event.key];
                const next = by === undefined ? undefined : views[(views.indexOf(each) + by) % views.length];
                if (next === undefined) return;
                change({ '@tab': next === 'Diagram' ? undefined : next }, 'replace');
                document.getElementById(`view-${next}`)?.focus();
              }}
            >
              {each}
            </button>
          ))}
        </div>
      )}
      <div className="view" {...(views.length > 1 ? { role: 'tabpanel', id: 'view', 'aria-labelledby': `view-${view}` } : {})}>
        {view === 'Diagram' && <ModelDiagram key={module} module={module} />}
        <Suspense fallback={<Skeleton lines={8} label={`Loading ${view}`} />}>
          {view === 'Source' && <Source />}
          {view === 'Migrations' && <Migrations />}
        </Suspense>
      </div>
    </div>
  );
}

function Unknown({ name }: { name: string }) {
  return (
    <Missing name={name}>
      <p>The model has nothing of this name.</p>
      <Link to="/model">The model</Link>
    </Missing>
  );
}

function NoEntities() {
  return (
    <div className="empty">
      <h1>Model</h1>
      <p>The model has no entity yet. Write one, and the service has a table, an API and a page for it:</p>
      <pre className="code">{'module shop\n\nentity Product {\n  code String @id,\n  name String\n}'}</pre>
    </div>
  );
}
