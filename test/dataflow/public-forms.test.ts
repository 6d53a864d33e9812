// Forms that applications in use have beyond the documented ones, and what each of them does.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

interface Row {
  readonly title: string;
  readonly surface?: 'earlier';
  readonly source: string;
  readonly steps: readonly Step[];
  /** What the log has at the end. */
  readonly lines?: readonly string[];
}

const shop = `module Shop.Core
entity Item { sku String @id, stock Integer @default(0), price Decimal @optional, secret Password @optional }
entity Note { id UUID @id @default(uuid()), text String }
`;

const rows: readonly Row[] = [
  {
    title: 'Integer is Int: of 64 bits, and exact',
    source: shop,
    steps: [
      { ask: 'POST /Shop.Core/Item', body: { sku: 'a', stock: 3 }, status: 201, has: { stock: 3 } },
      { ask: 'POST /Shop.Core/Item', body: { sku: 'b', stock: 1.5 }, status: 422 },
    ],
  },
  {
    title: 'a colon behind the name of an attribute in a pattern says nothing',
    source: `${shop}event make { sku String }
workflow make { {Item {sku: make.sku, stock: 2}} }
workflow find { {Item {stock?: 2}, @into {name: Item.sku}} }`,
    steps: [
      { ask: 'POST /Shop.Core/make', body: { sku: 'a' }, status: 200, has: { sku: 'a', stock: 2 } },
      { ask: 'POST /Shop.Core/find', body: {}, status: 200, is: [{ name: 'a' }] },
    ],
  },
  {
    title: 'the name of a type, qualified or not, is the last of its instances that was made or found',
    source: `${shop}workflow qualified { {Item {sku "a", stock 1}}
{Item {sku "b", stock 2}}
{Note {text Shop.Core/Item.sku}} }
workflow bare { {Item {sku? "a"}}
{Note {text Item.sku}} }`,
    steps: [
      { ask: 'POST /Shop.Core/qualified', body: {}, status: 200, has: { text: 'b' } },
      { ask: 'POST /Shop.Core/bare', body: {}, status: 200, has: { text: 'a' } },
    ],
  },
  {
    title: 'in an update the bare name of an attribute is what the row holds',
    source: `${shop}event more { sku String, by Int @default(1) }
workflow more { {Item {sku? more.sku, stock stock + more.by, price price}} }
workflow all { {Item {stock?>= 0, stock stock * 10}} }
workflow alias { {Item {sku? "a"}} @as [item]
{item {stock stock + 1}} }
workflow bound { 100 @as stock
{Item {sku? "a", stock stock + 1}} }`,
    steps: [
      { ask: 'POST /Shop.Core/Item', body: { sku: 'a', stock: 1, price: '2.50' }, status: 201 },
      { ask: 'POST /Shop.Core/Item', body: { sku: 'b', stock: 5 }, status: 201 },
      { ask: 'POST /Shop.Core/more', body: { sku: 'a' }, status: 200, has: [{ stock: 2, price: '2.50' }] },
      { ask: 'POST /Shop.Core/more', body: { sku: 'a', by: 3 }, status: 200, has: [{ stock: 5 }] },
      { ask: 'POST /Shop.Core/all', body: {}, status: 200, has: [{ stock: 50 }, { stock: 50 }] },
      { ask: 'POST /Shop.Core/alias', body: {}, status: 200, has: [{ stock: 51 }] },
      // A name that is bound in the workflow stays that.
      { ask: 'POST /Shop.Core/bound', body: {}, status: 200, has: [{ stock: 101 }] },
    ],
  },
  {
    title: 'so is its keyword on the earlier surface',
    surface: 'earlier',
    source: `(component :T)
(entity :E {:Id {:type :Int :guid true} :N {:type :Int :default 4}})
{:E {:Id 1}}
(dataflow :More {:E {:Id? 1 :N '(+ :N 1)}})`,
    steps: [{ ask: 'POST /api/T/More', body: { 'T/More': {} }, status: 200, has: [{ Id: 1, N: 5 }] }],
  },
  {
    title: 'an identifier of the type Any holds texts and numbers, told apart by their JSON text',
    surface: 'earlier',
    source: `(component :T)
(entity :E {:Id {:type :Any :guid true} :N {:type :Int :default 4}})
(entity :C {:Id {:type :Any :id true}})
(relationship :EC {:meta {:contains [:E :C]}})
(entity :F {:Id :Identity :E {:ref :E.Id}})
{:E {:Id "boot" :N 1}}
(dataflow :Get {:E {:Id? :Get.Id}})
(dataflow :Sub {:C {:Id :Sub.Id} :-> [[:EC {:E {:Id? :Sub.Id}}]]})
(dataflow :Ref {:F {:E :Ref.Id}})`,
    steps: [
      { ask: 'POST /api/T/E', body: { 'T/E': { Id: 1, N: 1 } }, status: 200, has: [{ result: [{ Id: 1 }] }] },
      { ask: 'POST /api/T/E', body: { 'T/E': { Id: '1', N: 2 } }, status: 200, has: [{ result: [{ Id: '1' }] }] },
      { ask: 'POST /api/T/E', text: '{"T/E": {"Id": 1.0}}', status: 409 },
      { ask: 'GET /api/T/E/1', status: 200, has: { N: 1 } },
      { ask: 'GET /api/T/E/%221%22', status: 200, has: { N: 2 } },
      { ask: 'GET /api/T/E/boot', status: 200, has: { Id: 'boot' } },
      { ask: 'POST /api/T/Get', body: { 'T/Get': { Id: '1' } }, status: 200, has: [{ Id: '1', N: 2 }] },
      { ask: 'POST /api/T/Get', body: { 'T/Get': { Id: 1 } }, status: 200, has: [{ Id: 1, N: 1 }] },
      { ask: 'POST /api/T/Sub', body: { 'T/Sub': { Id: '1' } }, status: 200, holds: '"path://T$E/%221%22/T$EC/T$C/%221%22"' },
      { ask: 'GET /api/T/E/%221%22/EC/C/%221%22', status: 200, has: { Id: '1' } },
      { ask: 'POST /api/T/Ref', body: { 'T/Ref': { Id: '1' } }, status: 200, has: { 'T/F': { E: '1' } } },
      { ask: 'POST /api/T/Ref', body: { 'T/Ref': { Id: '2' } }, status: 422 },
      { ask: 'POST /api/T/Lookup_E', body: { 'T/Lookup_E': { Id: '1' } }, status: 200, has: [{ Id: '1', N: 2 }] },
      { ask: 'POST /q', body: { Query: { from: 'T/E', where: ['=', 'Id', '1'] } }, status: 200, has: [{ N: 2 }] },
      { ask: 'POST /q', body: { Query: { from: 'T/E', where: ['=', 'Id', 1] } }, status: 200, has: [{ N: 1 }] },
      { ask: 'POST /q', body: { Query: { from: 'T/E', where: ['=', '__path__', '1'] } }, status: 200, has: [{ N: 2 }] },
    ],
  },
  {
    title: 'this is the instance of a trigger, and as a message its JSON',
    source: `${shop}event tell { message String }
workflow tell { {Note {text tell.message}} }
workflow @after create:Item {
  {Note {text this.sku}}
  {tell {message this}}
}`,
    steps: [
      { ask: 'POST /Shop.Core/Item', body: { sku: 'a', stock: 1, secret: 'do not tell' }, status: 201 },
      {
        ask: 'GET /Shop.Core/Note?@sort=-text',
        status: 200,
        has: [{ text: '{"sku":"a","stock":1,"price":null}' }, { text: 'a' }],
      },
    ],
  },
  {
    title: 'console.log writes a line into the log',
    source: `${shop}event say { what Any }
workflow say { console.log("said", say.what, 1.5, null)
"done" }
workflow @after create:Item { console.log("made", this) }`,
    steps: [
      { ask: 'POST /Shop.Core/say', body: { what: { a: [1, 'b'] } }, status: 200, is: 'done' },
      { ask: 'POST /Shop.Core/Item', body: { sku: 'a', secret: 'do not tell' }, status: 201 },
    ],
    lines: ['said {"a":[1,"b"]} 1.5 null', 'made {"sku":"a","stock":0,"price":null}'],
  },
  {
    title: 'an identifier of an event has no effect',
    source: `${shop}event make { id String @id, sku String }
workflow make { {Item {sku make.sku}} }`,
    steps: [
      { ask: 'POST /Shop.Core/make', body: { id: '1', sku: 'a' }, status: 200, has: { sku: 'a' } },
      { ask: 'POST /Shop.Core/make', body: { id: '1', sku: 'b' }, status: 200, has: { sku: 'b' } },
    ],
  },
  {
    title: 'the request and the result of a validation are types of the service',
    source: `${shop}event check extends platform/ValidationRequest {}
workflow check {
  if (check.data == "bad") { {platform/ValidationResult {status "error", reason "it is bad"}} }
  else { {platform/ValidationResult {status "ok"}} }
}`,
    steps: [
      { ask: 'POST /Shop.Core/check', body: { data: 'bad' }, status: 200, is: { status: 'error', reason: 'it is bad' } },
      { ask: 'POST /Shop.Core/check', body: { data: [1] }, status: 200, is: { status: 'ok', reason: null } },
      { ask: 'POST /platform/ValidationRequest', body: { data: 1 }, status: 404 },
    ],
  },
];

for (const { title, surface = 'current', source, steps, lines } of rows) {
  test(title, async () => {
    const files = surface === 'earlier' ? { 't.platform': source } : { 'core.al': source };
    const served = await serve(files, { surfaces: [surface] });
    await check(served, steps);
    if (lines !== undefined) expect(served.lines).toEqual(lines);
  });
}
