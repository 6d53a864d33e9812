// What both surfaces got from the earlier one: identifiers unique under every parent, formats, choices, named attributes, names for relationships.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const model = `(component :A)

(attribute :Code {:type :String :format "[A-Z]{2,4}"})

(entity :Base
  {:Id {:type :Int :guid true}
   :Name {:type :String :optional true}
   :Note :String})

(entity :Shelf
  {:meta {:inherits :Base :required-attributes [:Name]}
   :Grade {:oneof [1 2.5] :default 1}
   :Code {:type :Code :default "AB"}
   :At :Now})

(entity :Book
  {:ISBN {:type :String :guid true}
   :Owner {:ref :Person.Email :cascade-on-delete true :optional true}})

(entity :Page
  {:No {:type :Int :id true}
   :Key :Identity})

(entity :Person {:Email {:type :Email :guid true}})
(relationship :Books {:meta {:contains [:Shelf :Book]}})
(relationship :Pages {:meta {:contains [:Book :Page]}})
(attribute :Volumes {:type :Book :extend :Shelf :relationship :Books})
`;

const open = () => serve({ 'a.platform': model }, { surfaces: ['current', 'earlier'] });

test('a :guid is unique under every parent, an :id only under its own', async () => {
  const served = await open();
  for (const Id of [1, 2]) expect((await served.post('/A/Shelf', { Id, Name: 'x' })).status).toBe(201);
  expect((await served.post('/A/Shelf/1/Books/Book', { ISBN: 'a' })).status).toBe(201);
  expect((await served.post('/A/Shelf/2/Books/Book', { ISBN: 'a' })).status).toBe(409);
  expect((await served.post('/A/Shelf/2/Books/Book', { ISBN: 'b' })).status).toBe(201);
  for (const path of ['/A/Shelf/1/Books/Book/a', '/A/Shelf/2/Books/Book/b']) {
    expect((await served.post(`${path}/Pages/Page`, { No: 1 })).status).toBe(201);
    expect((await served.post(`${path}/Pages/Page`, { No: 1 })).status).toBe(409);
  }
});

test('required attributes, choices that are no texts, and named attributes with a format are checked', async () => {
  const served = await open();
  const made = await served.post('/A/Shelf', { Id: 1, Name: 'x', Grade: 2.5 });
  expect(made.body).toMatchObject({ Note: null, Grade: 2.5, Code: 'AB' });
  // The server's local time, without a zone.
  expect(made.body).toHaveProperty('At', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+$/));
  const refused = await served.post('/A/Shelf', { Id: 2, Grade: 2, Code: 'abc' });
  expect(refused.status).toBe(422);
  expect(refused.body).toHaveProperty('errors', [
    expect.objectContaining({ attribute: 'Name', code: 'required' }),
    expect.objectContaining({ attribute: 'Grade', code: 'value' }),
    expect.objectContaining({ attribute: 'Code', code: 'value' }),
  ]);
});

test('an attribute that extends an entity creates what its relationship leads to', async () => {
  const served = await open();
  const made = await served.post('/api/A/Shelf', { 'A/Shelf': { Id: 1, Name: 'x', Volumes: [{ ISBN: 'a' }, { ISBN: 'b' }] } });
  expect(made.status).toBe(200);
  const { body } = await served.get('/A/Shelf/1/Books/Book');
  expect(body).toMatchObject([{ ISBN: 'a' }, { ISBN: 'b' }]);
});

test('what refers with :cascade-on-delete goes with what it refers to', async () => {
  const served = await open();
  await served.post('/A/Person', { Email: 'p@x.example' });
  await served.post('/A/Shelf', { Id: 1, Name: 'x' });
  expect((await served.post('/A/Shelf/1/Books/Book', { ISBN: 'a', Owner: 'p@x.example' })).status).toBe(201);
  expect((await served.remove('/A/Person/p@x.example')).status).toBe(200);
  expect((await served.get('/A/Shelf/1/Books/Book/a')).status).toBe(404);
});
