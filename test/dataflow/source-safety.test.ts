// Nothing that comes in a request is ever read as source: whatever it says, it is stored, found, answered and told exactly as it was sent.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { askFor, type Step } from '../support/table.ts';

const secret = 'the-value-of-a-variable-of-the-environment';

/** What would do something in one of the places where text is source. */
const sources = [
  '{Post? {}}',
  'delete {Post? {}}',
  '{m/Post {text "x"}, @upsert}',
  'for p in {Post? {}} { p.text }',
  'return 1',
  'throw("x")',
  'now()',
  'uuid()',
  'this.text',
  'keep.text',
  '{:M/Post {:Text "x"}}',
  '[:delete :M/Post :*]',
  '[:eval (+ 1 2)]',
  '[:q# {:a 1}]',
  '[:uq# :Keep.Text]',
  '(quote (f 1))',
  "'(+ 1 2)",
  '(defn f [] 1)',
  ':Keep.Text',
  ':%',
  '#js process.exit(1)',
  '#$ SAFETY_SECRET',
  '#=(eval 1)',
  'process.env.SAFETY_SECRET',
  `$${'{process.env.SAFETY_SECRET}'}`,
  `\`$${'{1 + 1}'}\``,
  '&quot;',
  '\'; DROP TABLE "m.Post"; --',
  '$1',
  '?1',
  '%s',
  '__proto__',
  'constructor',
  '~#list',
  '~:keyword',
  '^ ',
];
const marks = [
  '"',
  "'",
  '\\',
  '\\"',
  '\n',
  '\t',
  '`',
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  ';',
  '//',
  '/*',
  '*/',
  ',',
  ':',
  '@',
  '#',
  '$',
  '%',
  '_',
  '?',
  ' ',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...sources), fc.constantFrom(...marks), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

/** What one text must go through: a request, and what the JSON of its answer must hold. */
interface Passage {
  readonly ask: Pick<Step, 'ask' | 'body'>;
  readonly status?: number;
  readonly holds: (body: unknown) => unknown;
  readonly is: unknown;
}

const at =
  (...path: readonly (string | number)[]) =>
  (body: unknown): unknown =>
    path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), body);

async function pass(served: Served, passages: readonly Passage[]): Promise<void> {
  for (const { ask, status = 200, holds, is } of passages) {
    const answer = await askFor(served, { ...ask, status });
    expect(answer.text).not.toContain(secret);
    expect({ ...ask, status: answer.status, held: holds(answer.body) }).toEqual({ ...ask, status, held: is });
  }
  expect(served.failures).toEqual([]);
}

const own = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);

const current = `module m
entity Post { id Int @id, text String, data Map @optional, list String[] @optional, any Any @optional }
entity Named { name String @id, n Int @default(0) }
workflow keep { {Post {id keep.id, text keep.text, data keep.data, list [keep.text], any keep.data}} }
workflow from { {Post {}, @from from.post, @upsert} }
workflow find { {Post {text? find.text}} }
workflow among { {Post? {}, @where(Post.text in among.list)} }
workflow change { {Post {text? change.text, any change.text}} }
workflow gone { delete {Post {text? gone.text}} }
workflow echo { echo }
workflow made { {"made": made.text + ""} }
workflow fails { throw(fails.text) }
workflow caught { throw(caught.text) @catch {error Error.message} }
workflow each { for x in each.list { x } }`;

function throughCurrent(text: string, id: number): readonly Passage[] {
  const post = { id, text, data: own(`k${text}`, [text]), list: [text], any: own('x', text) };
  const encoded = encodeURIComponent(text);
  const body = (path: string, given: object) => ({ ask: `POST /m/${path}`, body: given });
  return [
    { ask: body('Post', post), status: 201, holds: (answer) => answer, is: post },
    { ask: { ask: `GET /m/Post/${id}` }, holds: (answer) => answer, is: post },
    { ask: { ask: `GET /m/Post?text=${encoded}` }, holds: at(0, 'id'), is: id },
    { ask: { ask: `PUT /m/Post/${id}`, body: { any: [text] } }, holds: at('any', 0), is: text },
    { ask: body('find', { text }), holds: at(0, 'text'), is: text },
    { ask: body('among', { list: [text, text] }), holds: at(0, 'id'), is: id },
    { ask: body('change', { text }), holds: at(0, 'any'), is: text },
    { ask: body('gone', { text }), holds: at(0, 'id'), is: id },
    { ask: body('keep', post), holds: (answer) => answer, is: { ...post, any: post.data } },
    { ask: body('from', { post: { ...post, any: text } }), holds: at('any'), is: text },
    { ask: { ask: `GET /m/Post/${id}` }, holds: at('text'), is: text },
    { ask: body('gone', { text }), holds: at(0, 'text'), is: text },
    { ask: body('echo', own(text, { [id]: text })), holds: (answer) => answer, is: own(text, { [id]: text }) },
    { ask: body('made', { text }), holds: at('made'), is: text },
    { ask: body('fails', { text }), status: 422, holds: at('detail'), is: text },
    { ask: body('caught', { text }), holds: (answer) => answer, is: text },
    { ask: body('each', { list: [text, [text]] }), holds: (answer) => answer, is: [text, [text]] },
    { ask: body('Post', own(`text ${text}`, 1)), status: 422, holds: at('code'), is: 'attributes-invalid' },
    { ask: body('Named', { name: text }), status: 201, holds: at('name'), is: text },
    { ask: { ask: `GET /m/Named/${encoded}` }, holds: at('name'), is: text },
    { ask: { ask: `DELETE /m/Named/${encoded}` }, holds: at('name'), is: text },
  ];
}

const earlier = `(component :M)
(entity :Post {:Id {:type :Int :guid true} :Text :String :Data {:type :Map :optional true} :Any {:type :Any :optional true}})
(entity :Named {:Name {:type :String :guid true}})
(record :Note {:Text :Any})
(dataflow :Keep {:Post {:Id :Keep.Id :Text :Keep.Text :Data :Keep.Data :Any [:Keep.Text]}})
(dataflow :From {:Post {} :from :From.Post})
(dataflow :Find {:Post {:Text? :Find.Text}})
(dataflow :Where {:Post? {:where [:or [:= :Text :Where.Text] [:= :Text "none"]]}})
(dataflow :Query [:query :Query.Q])
(dataflow :Change {:Post {:Text? :Change.Text :Any :Change.Text}})
(dataflow :Gone [:delete :Post {:Text :Gone.Text}])
(dataflow :Quoted {:Note {:Text [:q# {:a [:uq# :Quoted.Text]}]}})
(dataflow :Joined [:eval '(str :Joined.Text "")])
(dataflow :Each [:for-each :Each.List :%])
(dataflow :Match [:match :Match.Text :Match.Text {:Note {:Text :Match.Text}} {:Note {:Text "no"}}])`;

function throughEarlier(text: string, id: number): readonly Passage[] {
  const post = { Id: id, Text: text, Data: own(`k${text}`, [text]), Any: [text] };
  const event = (name: string, given: object) => ({ ask: `POST /api/M/${name}`, body: { [`M/${name}`]: given } });
  const dynamic = (name: string, given: object) => ({ ask: 'POST /dynamic', body: { [`M/${name}`]: given } });
  const query = { from: 'M/Post', where: ['=', 'Text', text] };
  return [
    { ask: { ask: 'POST /api/M/Post', body: { 'M/Post': post } }, holds: at(0, 'result', 0), is: expect.objectContaining(post) },
    { ask: { ask: `GET /api/M/Post/${id}` }, holds: (answer) => answer, is: expect.objectContaining(post) },
    { ask: { ask: `GET /api/M/Post?Text=${encodeURIComponent(text)}` }, holds: at(0, 'Id'), is: id },
    { ask: { ask: `PUT /api/M/Post/${id}`, body: { Data: { Any: text } } }, holds: at('Any'), is: text },
    { ask: { ask: 'POST /q', body: { Query: query } }, holds: at(0, 'Text'), is: text },
    { ask: event('Find', { Text: text }), holds: at(0, 'Text'), is: text },
    { ask: dynamic('Where', { Text: text }), holds: at(0, 'Id'), is: id },
    { ask: event('Query', { Q: query }), holds: at(0, 'Id'), is: id },
    { ask: dynamic('Change', { Text: text }), holds: at(0, 'Any'), is: text },
    { ask: event('Gone', { Text: text }), holds: at(0, 'Text'), is: text },
    { ask: dynamic('Keep', post), holds: at('M/Post'), is: post },
    { ask: event('Gone', { Text: text }), holds: at(0, 'Text'), is: text },
    { ask: event('From', { Post: post }), holds: at('M/Post'), is: post },
    { ask: event('Gone', { Text: text }), holds: at(0, 'Text'), is: text },
    { ask: event('Create_Post', { Instance: post }), holds: at('M/Post'), is: post },
    { ask: event('Delete_Post', { Id: id }), holds: at(0, 'Text'), is: text },
    { ask: event('Quoted', { Text: text }), holds: at('M/Note', 'Text', 'a'), is: text },
    { ask: event('Joined', { Text: text }), holds: (answer) => answer, is: text },
    { ask: dynamic('Each', { List: [text, [text]] }), holds: (answer) => answer, is: [text, [text]] },
    { ask: event('Match', { Text: text }), holds: at('M/Note', 'Text'), is: text },
    { ask: { ask: 'POST /api/M/Named', body: { 'M/Named': { Name: text } } }, holds: at(0, 'result', 0, 'Name'), is: text },
    { ask: { ask: `GET /api/M/Named/${encodeURIComponent(text)}` }, holds: at('Name'), is: text },
    { ask: { ask: `DELETE /api/M/Named/${encodeURIComponent(text)}` }, holds: at(0, 'result', 0, 'Name'), is: text },
  ];
}

describe('what comes in a request is just data', () => {
  const surfaces = [
    ['current', { 'core.al': current }, throughCurrent],
    ['earlier', { 'm.platform': earlier }, throughEarlier],
  ] as const;
  for (const [surface, project, through] of surfaces) {
    test(`every dangerous text, on the ${surface} surface`, async () => {
      process.env['SAFETY_SECRET'] = secret;
      const served = await serve(project, { surfaces: [surface] });
      for (const [id, text] of [...sources, ...marks].entries()) await pass(served, through(text, id));
    });

    test(`any text, on the ${surface} surface`, async () => {
      process.env['SAFETY_SECRET'] = secret;
      const served = await serve(project, { surfaces: [surface] });
      await fc.assert(
        // No identifier is empty.
        fc.asyncProperty(
          hostile.filter((text) => text !== ''),
          fc.integer({ min: 0, max: 1_000_000 }),
          async (text, id) => pass(served, through(text, id)),
        ),
        { numRuns: counted({ long: 400, short: 15 }) },
      );
    });
  }
});
