// A model with everything that a document has to describe, and how a model becomes an app for one test.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { type Settings, settingsFrom } from '../../src/config/config.ts';
import type { Log } from '../../src/http/server/log.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import { link } from '../../src/model/link/link.ts';
import type { Model } from '../../src/model/model.ts';
import type { SystemPart } from '../../src/model/system-module.ts';
import { temporaryFolder } from '../support/folder.ts';

const shop = `module shop

entity Product {
  sku String @id @comment("What stands on the label."),
  int Int,
  float Float,
  decimal Decimal,
  boolean Boolean,
  uuid UUID @default(uuid()),
  email Email @unique,
  date Date,
  time Time,
  moment DateTime @default(now()),
  url URL,
  map Map,
  any Any,
  path Path,
  state @enum("draft", "on sale") @default("draft"),
  size Size,
  sizes Size[] @optional,
  tags String[],
  kinds @enum("a", "b") @optional,
  amount Int @default(9007199254740993),
  note String @optional @meta {"documentation": "For us alone."},
  added DateTime @default(now()) @readonly,
  hint String @writeonly @optional,
  double Float @expr(float * 2),
  perhaps Int @optional @expr(int + 1),
  vendor Email @ref(people/Person.email),
  like String @oneof(shop/Colour.name) @optional,
  @with_unique(int, date),
  @meta {"documentation": "What is sold."}
}

record Size {
  width Float,
  unit String @default("mm"),
  inner Inner @optional
}

record Inner {
  price Decimal,
  words String[] @optional
}

entity Account {
  name String @id,
  password Password,
  key String @secret @optional,
  hint String @writeonly
}

entity Colour {
  name String @id
}

entity Unnamed {
  text String @optional
}

entity Größe {
  länge Int @id
}

entity Part {
  no Int @id,
  name String @optional
}

entity Screw {
  no Int @id,
  thread String
}

entity Dent {
  no Int @id
}

entity Loose {
  key Any @id
}

entity Folder {
  name String @id
}

relationship ProductPart contains(Product, Part)
relationship PartScrew contains(Part, Screw) @cascade(false)
relationship ScrewDent contains(Screw, Dent)
relationship Below contains(Folder @as outer, Folder @as inner)
relationship ProductColour between(Product, Colour)
relationship PartColour between(Part, Colour) @one_many {
  since Date @optional,
  amount Decimal @default("1.5")
}
relationship Rated between(Colour, people/Person) {
  stars Int
}
relationship LooseDeep contains(Loose, Größe)
relationship LooseColour between(Loose, Colour)
relationship FolderColour between(Folder, Colour) @one_one
relationship Fits between(Part @as from, Part @as to)

event Order {
  sku String,
  size Size @optional,
  product Product @optional,
  count Int @default(1),
  @meta {"documentation": "Somebody buys."}
}

workflow Order {
  {Product? {}}
}

workflow undeclared {
  {Colour? {}}
}

event Echo {
  text String,
  amount Decimal @optional,
  size Size,
  sizes Size[] @optional,
  product Product @optional,
  when DateTime @default(now())
}

event Paint {
  name String,
  again String @optional
}

workflow Paint {
  {Colour {name Paint.name}} @as colour
  if (Paint.again == null) { {undeclared {}} } else { colour }
}

workflow Measure {
  {Inner {price "2.50"}} @as inner
  {Size {width 1.5, inner inner}}
}

workflow Repaint {
  {Colour {name "repainted"}, @upsert}
  delete {Colour {name? "repainted"}} @as [gone]
  gone
}

workflow Parts {
  {Product? {}, ProductPart {Part? {}, PartScrew {Screw? {}}}}
}

workflow Sums {
  {Product? {}, @into {state Product.state, n @count(*), all @sum(Product.int), mean @avg(Product.float), worth @sum(Product.decimal), last @max(Product.date)}, @groupBy(Product.state)}
}

workflow Each {
  for colour in {Colour? {}} { {Echoed {name colour.name}} }
}

record Echoed {
  name String
}

@public agent seller {
  instruction "Sell."
}

agent hidden {
  instruction "Think."
}
`;

const people = `module people

entity Person {
  email Email @id,
  name String
}

entity Note {
  id Identity,
  text String
}

relationship PersonNote contains(Person, Note)
relationship ColourNote contains(shop/Colour, Note)
relationship Knows between(Person @as one, Person @as other)
relationship Favourite between(Person, shop/Colour)
`;

export const everything: Readonly<Record<string, string>> = { 'shop.al': shop, 'people.al': people };

/** What the table of the earlier surface's paths speaks of, and what only its language says. */
export const company: Readonly<Record<string, string>> = {
  'company.platform': `(component :Acme.Company)

(entity :Acme.Company/Department
  {:No {:type :Int :guid true}
   :Block {:oneof ["a" "b"]}
   :meta {:documentation "Where people work."}})

(entity :Acme.Company/Employee {:No {:type :String :id true} :Name :String :Since :Now})

(entity :Acme.Company/Desk {:Id :Identity :No {:type :Int :id true} :Colour {:type :Keyword :optional true}})

(relationship :Acme.Company/WorksFor {:meta {:contains [:Acme.Company/Department :Acme.Company/Employee]}})
(relationship :Acme.Company/SitsAt {:meta {:contains [:Acme.Company/Employee :Acme.Company/Desk :cascade-on-delete false]}})
(relationship :Acme.Company/Mentor {:meta {:between [:Acme.Company/Employee :Acme.Company/Employee :as [:From :To]]} :Hours {:type :Int :default 1}})
(relationship :Acme.Company/Uses {:meta {:between [:Acme.Company/Department :Acme.Other/Room]}})

(event :Acme.Company/Hire {:Department :Int :Name :String})
(dataflow :Acme.Company/Hire
  {:Acme.Company/Department {:No? :Acme.Company/Hire.Department}})
`,
  'other.platform': `(component :Acme.Other)

(entity :Acme.Other/Room {:Code {:type :String :guid true} :Seats {:type :Int :default 2}})
(relationship :Acme.Other/Kept {:meta {:contains [:Acme.Other/Room :Acme.Company/Desk]}})
`,
};

export function blog(): Readonly<Record<string, string>> {
  return { 'blog.al': readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'blog', 'src', 'blog.al'), 'utf8') };
}

export function modelOf(files: Readonly<Record<string, string>>, system: readonly SystemPart[] = []): Model {
  const read = Object.entries(files).map(([file, text]) =>
    (file.endsWith('.platform') ? earlierFrontEnd : currentFrontEnd).read({ file, text }),
  );
  const { model, diagnostics } = link(
    read.map((each) => each.unit),
    system,
  );
  if (model === undefined) throw new Error(JSON.stringify([...read.flatMap((each) => each.diagnostics), ...diagnostics], undefined, 2));
  return model;
}

/** Who may do everything where authentication is on. */
export const admin = { email: 'root@example.com', password: 'a very long root password' };

const switches: Readonly<Record<SystemPart, readonly string[]>> = {
  auth: ['auth.enabled'],
  rbac: ['rbac.enabled'],
  audit: ['auditTrail.enabled'],
  ai: [],
  resolvers: [],
  timers: [],
};

export async function appOf(
  files: Readonly<Record<string, string>>,
  expose: Partial<Settings['service']['expose']> = {},
  served: Partial<Pick<Settings['service'], 'surfaces' | 'envelope' | 'port'>> = {},
  system: readonly SystemPart[] = [],
  thirdParty: Partial<Pick<NonNullable<Settings['auth']>, 'providers' | 'redirects'>> = {},
): Promise<App> {
  const folder = temporaryFolder();
  const span = { source: { file: '', text: '' }, start: 0, end: 0 };
  const environment = { PLATFORM_SUPERUSER_EMAIL: admin.email, PLATFORM_SUPERUSER_PASSWORD: admin.password };
  const place = { projectFolder: folder, projectName: 'test', configFile: undefined, storeId: () => 'test', environment };
  const { service, ...rest } = settingsFrom(
    new Map(system.flatMap((part) => switches[part]).map((name) => [name, { kind: 'scalar', value: true, span } as const])),
    place,
  );
  const settings: Settings = {
    ...rest,
    ...(rest.auth === undefined ? {} : { auth: { ...rest.auth, ...thirdParty } }),
    service: { ...service, ...served, expose: { ...service.expose, ...expose } },
  };
  const app = await createApp({
    model: modelOf(files, system),
    settings,
    name: 'test',
    version: '1.2.3',
    folder,
    log: silent,
    project: { sources: () => [], packages: () => [], diagnostics: () => [], newest: async () => undefined },
  });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return app;
}

const silence = () => {};
const silent: Log = { debug: silence, info: silence, warn: silence, error: silence, isLevelEnabled: () => false };
