// A type of attributes and an annotation that are one file and one line each are at every door.

import { printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toolsOf as agentToolsOf } from '../../src/agents/tools/tools.ts';
import { generateClient } from '../../src/cli/client/generate.ts';
import { hints } from '../../src/cli/run/hints.ts';
import { openGuard } from '../../src/engine/seams.ts';
import { schemaOf } from '../../src/http/graphql/schema.ts';
import { toolsOf } from '../../src/http/mcp/tools.ts';
import { openapiOf } from '../../src/http/openapi/openapi.ts';
import { describeComponent } from '../../src/http/rest/earlier/meta.ts';
import { convertUnit } from '../../src/language/convert.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import { readLocalUnit } from '../../src/language/earlier/lower/lower.ts';
import { link } from '../../src/model/link/link.ts';
import { compile } from '../../src/plan/compile.ts';
import { visit } from '../console/visit.ts';
import { modelOf, serve } from '../support/app.ts';
import { isMissing, useBrowser } from '../support/browser.ts';

const types = `module m

entity Paint {
  no Int @id,
  hue Colour,
  name String @maxlength(5)
}

record Tone {
  hue Colour,
  name String @optional @maxlength(5)
}

@public event mix {
  hue Colour,
  name String @maxlength(5)
}

workflow mix {
  {Paint {no 1, hue mix.hue, name mix.name}}
}
`;

const model = `${types}
agent painter {
  instruction "Paint.",
  tools [m/Paint]
}
`;

const pattern = '^#[0-9a-fA-F]{6}$';
const about = { name: 'test', version: '1.0.0' };
const words = 'At most 5 characters.';
const schemas = {
  hue: { type: 'string', pattern },
  name: { type: 'string', maxLength: 5, description: words },
};

test('OpenAPI has both, on both surfaces, with examples that fit', () => {
  const plan = compile(modelOf(model));
  const both = { properties: schemas, required: expect.arrayContaining(['hue', 'name']) };
  const { components } = openapiOf(plan, { ...about, earlier: 'create' });
  for (const name of ['m.Paint', 'm.Paint-create', 'm.mix-event', 'm.Paint-tagged', 'm.Paint-keyed'])
    expect([name, components.schemas[name]]).toEqual([
      name,
      expect.objectContaining({ properties: expect.objectContaining(both.properties) }),
    ]);
  expect(components.schemas['m.Paint-keyed-create']).toMatchObject({ properties: { 'm/Paint': both } });
  expect(components.schemas['m.Paint-create']).toMatchObject({ examples: [{ no: 1, hue: '#a0b1c2', name: 'xxxxx' }] });
});

test('GraphQL has both', () => {
  const printed = printSchema(schemaOf(compile(modelOf(model)), 'current').schema);
  for (const each of ['"""A colour: `#a0b1c2`."""\nscalar Colour', 'hue: Colour!', `"""${words}"""\n  name: String!`, 'input ColourFilter'])
    expect(printed).toContain(each);
});

test('tools of assistants and of agents have both', () => {
  const plan = compile(modelOf(model));
  for (const name of ['m_Paint_create', 'm_mix'])
    expect(toolsOf(plan, plan.names).get(name)?.inputSchema).toMatchObject({ properties: schemas });
  const agent = plan.model.agents.get('m/painter');
  if (agent === undefined) throw new Error('no agent');
  const [create] = agentToolsOf(agent, { plan, guard: openGuard, caller: { kind: 'anonymous' } });
  expect(create?.schema.parameters).toMatchObject({ properties: schemas, required: ['no', 'hue', 'name'] });
});

test('typed clients, the calls of a start and /meta have both', () => {
  const plan = compile(modelOf(model));
  const { text } = generateClient({ plan, document: openapiOf(plan, about), hasAuth: false, earlier: undefined });
  expect(text).toContain('readonly hue: string;');
  expect(text).toContain(`/** ${words} */ readonly name: string;`);
  expect(text).toContain('readonly hue?: TextComparison<string>;');
  const calls = hints(plan.model, { address: 'http://h', surface: 'current', auth: undefined, uuid: () => '' });
  expect(calls[0]).toContain('{"no":1,"hue":"#a0b1c2","name":"xxxxx"}');
  expect(describeComponent(plan, 'm')).toMatchObject({ entities: [{ attributes: [{}, { name: 'hue', type: 'Colour' }, {}] }] });
});

test('/platform/model has both', async () => {
  const { get } = await serve(model);
  const [, hue, name] = Object(await get('/platform/model')).body.entities.find(
    (each: { name: string }) => each.name === 'm/Paint',
  ).attributes;
  expect(hue).toMatchObject({ type: 'Colour', kind: 'text', required: true });
  expect(name).toMatchObject({ type: 'String', maxlength: 5, comment: words });
});

test('what does not fit is 422, by every way', async () => {
  const { post, put } = await serve(model);
  const wrong = [
    { attribute: 'hue', code: 'type', message: 'must be a colour such as #a0b1c2' },
    { attribute: 'name', code: 'value', message: 'must have at most 5 characters' },
  ];
  const given = { hue: 'red', name: 'crimson' };
  expect(await post('/m/Paint', { no: 1, ...given })).toMatchObject({ status: 422, body: { errors: wrong } });
  expect(await post('/m/mix', given)).toMatchObject({ status: 422, body: { errors: wrong } });
  expect(await post('/m/Paint', { no: 1, hue: '#A0B1C2', name: '12345' })).toMatchObject({ status: 201, body: { hue: '#a0b1c2' } });
  expect(await put('/m/Paint/1', given)).toMatchObject({ status: 422, body: { errors: wrong } });
});

describe('diagnostics know both', () => {
  const cases: readonly (readonly [source: string, expected: string])[] = [
    ['entity E { no Int @id, a Colour @default("red") }', 'default-invalid'],
    ['entity E { no Int @id, a Int @maxlength(5) }', 'type-not-allowed'],
    ['entity E { no Int @id, a String @maxlength("5") }', 'annotation-argument'],
    ['entity E { no Int @id, a String @maxlength(0) }', 'annotation-argument'],
    ['entity E { no Int @id, a Color }', 'type-unknown'],
    ['entity E { no Int @id, a String @maxlenght(5) }', 'annotation-unknown'],
    ['entity E { no Int @id, a Colour }\nevent w { a Email }\nworkflow w { {E {no 1, a w.a}} }', 'value-type'],
    ['entity E { no Int @id, a Colour }\nworkflow w { {E {a? "red"}} }', 'comparison-never'],
    ['entity E { no Int @id, a String @maxlength(3) }\nworkflow w { {E {no 1, a "long"}} }', 'value-type'],
  ];
  test.each(cases)('%s', (source, expected) => {
    const { unit, diagnostics } = currentFrontEnd.read({ file: 'm.al', text: `module m\n${source}\n` });
    expect([...diagnostics, ...link([unit]).diagnostics].map(({ code }) => code)).toEqual([expected]);
  });
});

test('both syntaxes have both, and are converted into each other', () => {
  const { unit } = currentFrontEnd.read({ file: 'm.al', text: types });
  expect(currentFrontEnd.print(unit)).toBe(types);
  const there = convertUnit(unit, 'earlier');
  expect(there.missing).toEqual([]);
  for (const each of [':hue :Colour', ':maxlength 5']) expect(there.text).toContain(each);
  const source = { file: 'm.clj', text: there.text };
  expect(link([earlierFrontEnd.read(source).unit]).diagnostics).toEqual([]);
  const back = convertUnit(readLocalUnit(source).unit, 'current');
  for (const each of ['hue Colour', '@maxlength(5)']) expect(back.text).toContain(each);
});

describe.skipIf(isMissing)('the console', () => {
  const open = useBrowser();

  test('has both in its forms', async () => {
    const { page, go } = await visit(open, model);
    await go('/data/m/Paint');
    await page.getByRole('button', { name: 'New Paint' }).click();
    await page.getByText('Colour · required').waitFor();
    await page.getByText(`String · required · ${words}`).waitFor();
  });
});
