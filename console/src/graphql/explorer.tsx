// What the schema has: types and their fields, one after the other as the reader follows them.

import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { useState } from 'react';

export function Explorer({ schema, shown, onShow }: { schema: GraphQLSchema; shown: string; onShow: (type: string) => void }) {
  const [searched, setSearched] = useState('');
  const type = schema.getType(shown);
  const showFound = (name: string): void => {
    setSearched('');
    onShow(name);
  };
  return (
    <aside className="explorer" aria-label="Documentation">
      <label>
        Search the schema
        <input type="search" value={searched} onChange={(event) => setSearched(event.target.value)} />
      </label>
      {searched !== '' ? (
        <Found schema={schema} searched={searched} onShow={showFound} />
      ) : type === undefined ? (
        <Roots schema={schema} onShow={onShow} />
      ) : (
        <>
          <button type="button" className="quiet" onClick={() => onShow('')}>
            ‹ All types
          </button>
          <TypeDetails type={type} onShow={onShow} />
        </>
      )}
    </aside>
  );
}

interface Shows {
  readonly onShow: (type: string) => void;
}

function Roots({ schema, onShow }: { schema: GraphQLSchema } & Shows) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((each) => each ?? []);
  const others = Object.values(schema.getTypeMap()).filter((each) => !each.name.startsWith('__') && !roots.some((root) => root === each));
  return (
    <>
      <h2>Operations</h2>
      <Types types={roots} onShow={onShow} />
      <h2>Types</h2>
      <Types types={others.filter(isObjectType)} onShow={onShow} />
    </>
  );
}

function Types({ types, onShow }: { types: readonly GraphQLNamedType[] } & Shows) {
  return (
    <ul>
      {types.map(({ name }) => (
        <li key={name}>
          <TypeLink name={name} onShow={onShow} />
        </li>
      ))}
    </ul>
  );
}

/** What is found at most; whoever needs more types more. */
const mostFound = 50;

function Found({ schema, searched, onShow }: { schema: GraphQLSchema; searched: string } & Shows) {
  const wanted = searched.toLowerCase();
  const types = Object.values(schema.getTypeMap()).filter((each) => !each.name.startsWith('__'));
  const found = types.flatMap((type) => [
    ...(type.name.toLowerCase().includes(wanted) ? [{ type, field: '' }] : []),
    ...Object.keys(fieldsOf(type)).flatMap((field) => (field.toLowerCase().includes(wanted) ? [{ type, field: `.${field}` }] : [])),
  ]);
  return (
    <>
      <p role="status">{found.length === 0 ? 'Nothing is called so.' : `${found.length} found`}</p>
      <ul>
        {found.slice(0, mostFound).map(({ type, field }) => (
          <li key={type.name + field}>
            <TypeLink name={type.name} text={type.name + field} onShow={onShow} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface FieldDescription {
  readonly type: unknown;
  readonly args?: readonly GraphQLArgument[];
  readonly description?: string | null | undefined;
}

function fieldsOf(type: GraphQLNamedType): Readonly<Record<string, FieldDescription>> {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
}

function TypeDetails({ type, onShow }: { type: GraphQLNamedType } & Shows) {
  return (
    <>
      <h2>{type.name}</h2>
      {type.description && <p>{type.description}</p>}
      <dl>
        {Object.entries(fieldsOf(type)).map(([name, field]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              {field.args?.map((each) => (
                <span key={each.name} className="argument">
                  {each.name}: <TypeOf type={each.type} onShow={onShow} />
                </span>
              ))}
              : <TypeOf type={field.type} onShow={onShow} />
            </dt>
            {field.description && <dd>{field.description}</dd>}
          </div>
        ))}
      </dl>
      {isEnumType(type) && (
        <ul>
          {type.getValues().map(({ name }) => (
            <li key={name}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function TypeOf({ type, onShow }: { type: unknown } & Shows) {
  const text = String(type);
  const name = text.replace(/[[\]!]/g, '');
  return <TypeLink name={name} text={text} onShow={onShow} />;
}

function TypeLink({ name, text = name, onShow }: { name: string; text?: string } & Shows) {
  return (
    <button type="button" className="type" onClick={() => onShow(name)}>
      {text}
    </button>
  );
}
