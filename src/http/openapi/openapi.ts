// A plan as an OpenAPI 3.1 document: every path of the surfaces that it is served on, what they take and give.

import type { Agent } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { isSuspendable } from '../../plan/flow/effects.ts';
import { resultShapes } from '../../plan/flow/result/result.ts';
import type { Plan } from '../../plan/plan.ts';
import type { EarlierOptions } from '../rest/earlier/earlier.ts';
import { besideApiItems } from './beside-api.ts';
import { type Component, type Components, createComponents, inEachSection, type Section } from './components.ts';
import { earlierForm } from './earlier-form.ts';
import { createExamples, type Examples } from './examples/examples.ts';
import { currentForm, type Form } from './form.ts';
import { apiKeyBody, bearerSecurity, identityItems, identityTag } from './identity.ts';
import { type PathItem, pathsAt } from './operations.ts';
import { type PathEntry, placesOf } from './paths.ts';
import { runItems } from './runs.ts';
import { createEarlierSchemas, type EarlierSchemas } from './schemas/earlier.ts';
import { createRecordSchemas } from './schemas/record.ts';
import { replySchema } from './schemas/result.ts';
import { createSchemas, type Schemas } from './schemas/schemas.ts';
import { operatorItems, protocolItems, systemPathItems, systemTag } from './system.ts';
import { type Tag, type TagGroup, tagsOf } from './tags.ts';

export interface Described {
  readonly name: string;
  readonly version: string;
  /** Whether `/metrics` is served; it is unless said otherwise. */
  readonly metrics?: boolean;
  /** Whether the model is served on the current surface; it is unless said otherwise. */
  readonly current?: boolean;
  /** Where it is served on the earlier surface: which of its answers stand in the envelope. */
  readonly earlier?: EarlierOptions['envelope'] | undefined;
  /** The surface of the project, in whose form the paths of the service itself fail. */
  readonly own?: 'current' | 'earlier';
  /** Whether `/graphql` and `/mcp` are served; they are not unless said. */
  readonly graphql?: boolean;
  readonly mcp?: boolean;
  /** Whether the paths of the application need a token. */
  readonly auth?: boolean;
  /** The services that users sign in at, where there are any. */
  readonly providers?: readonly string[];
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly Tag[];
  /** Read by the page at `/docs` and by other viewers. */
  readonly 'x-tagGroups': readonly TagGroup[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<Section, Readonly<Record<string, JsonSchema>>>>;
}

type Head = Omit<OpenApiDocument, 'paths' | 'components'>;

/** A document piece by piece: each is made when it is asked for, so that other work can be done between two of them. */
export type DocumentPart =
  | { readonly kind: 'head'; readonly head: Head }
  | { readonly kind: 'path'; readonly path: string; readonly item: PathItem }
  | ({ readonly kind: 'component' } & Component)
  /** Something was worked out that later parts need. */
  | { readonly kind: 'progress' };

const progress: DocumentPart = { kind: 'progress' };

export function openapiOf(plan: Plan, described: Described): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  const components = inEachSection<Record<string, JsonSchema>>(() => ({}));
  let head: Head | undefined;
  for (const each of documentParts(plan, described)) {
    if (each.kind === 'head') head = each.head;
    else if (each.kind === 'path') paths[each.path] = each.item;
    else if (each.kind === 'component') components[each.section][each.name] = each.part;
  }
  if (head === undefined) throw new Error('a document has no head');
  return { ...head, paths, components };
}

export function* documentParts(plan: Plan, described: Described): Generator<DocumentPart> {
  const { current = true, earlier } = described;
  const components = createComponents();
  const forms = formsOf(plan, components, described);
  const noted = (surface: string): string => (current && earlier !== undefined ? ` (${surface} surface)` : '');
  const served: Served[] = [];
  if (current) served.push({ form: forms.current, note: noted('current'), places: yield* collected(placesOf(plan.names)) });
  if (forms.earlier !== undefined)
    served.push({ form: forms.earlier, note: noted('earlier'), places: yield* collected(placesOf(plan.earlierNames)) });
  yield { kind: 'head', head: headOf(described, served, components) };
  yield* modelPaths(plan, components, served, forms);
  for (const [path, item] of Object.entries(ownPaths(plan, components, forms, described))) yield { kind: 'path', path, item };
  for (const component of components.make()) yield { kind: 'component', ...component };
}

/** One surface, with the places at which it serves the model. */
interface Served {
  readonly form: Form;
  readonly places: readonly PathEntry[];
  readonly note: string;
}

function* collected(places: Iterable<PathEntry>): Generator<DocumentPart, readonly PathEntry[]> {
  const all: PathEntry[] = [];
  for (const place of places) {
    all.push(place);
    yield progress;
  }
  return all;
}

function headOf({ name, version, current = true, earlier, auth }: Described, served: readonly Served[], components: Components): Head {
  const { tags, groups } = tagsOf(served.flatMap((each) => each.places));
  const own = auth === true ? [systemTag, identityTag] : [systemTag];
  return {
    openapi: '3.1.0',
    info: { title: name, version, description: descriptionOf(current, earlier !== undefined) },
    servers: [{ url: '/' }],
    security: auth === true ? [bearerSecurity(components)] : [],
    tags: [...tags, ...own],
    'x-tagGroups': [...groups, { name: systemTag.name, tags: own.map((tag) => tag.name) }],
  };
}

function* modelPaths(plan: Plan, components: Components, served: readonly Served[], { schemas, examples }: Forms): Generator<DocumentPart> {
  const resultOf = resultShapes(plan);
  for (const { form, places, note } of served) {
    const making = {
      components,
      form,
      note,
      examples,
      resultOf,
      maySuspend: (event: string) => plan.agents !== undefined && isSuspendable(event, plan.dataflows),
      replyOf: (agent: Agent) => replySchema(agent, plan.model, schemas.record),
      apiKeyBody: () => apiKeyBody(plan, form, schemas),
    };
    for (const place of places) for (const [path, item] of pathsAt(place, making)) yield { kind: 'path', path, item };
  }
}

/** Of the service itself, and of the earlier surface beside `/api`. */
function ownPaths(plan: Plan, components: Components, forms: Forms, described: Described): Readonly<Record<string, PathItem>> {
  const { name, version, metrics = true, current = true, earlier, providers = [] } = described;
  const { keyed, earlier: form } = forms;
  const beside = form === undefined ? {} : besideApiItems({ plan, components, form, keyed, wrapsAll: earlier === 'all' });
  const own = described.own === 'earlier' || !current ? (form ?? forms.current) : forms.current;
  const surfaces = [...(current ? [forms.current] : []), ...(form === undefined ? [] : [form])];
  const identity = described.auth === true ? identityItems({ plan, components, surfaces, providers }) : {};
  return {
    ...beside,
    ...systemPathItems({ components, own, application: { name, version }, agents: plan.model.agents.size > 0, metrics }),
    ...operatorItems(components, own, { accessControl: plan.access !== undefined, audit: plan.audit !== undefined }),
    ...protocolItems(components, own, described),
    ...identity,
    ...runItems(plan, surfaces),
  };
}

interface Forms {
  readonly current: Form;
  readonly earlier: Form | undefined;
  readonly keyed: EarlierSchemas;
  readonly schemas: Schemas;
  readonly examples: Examples;
}

function formsOf(plan: Plan, components: Components, { earlier, auth = false }: Described): Forms {
  const records = createRecordSchemas(plan.model, components);
  const examples = createExamples(plan);
  const schemas = createSchemas(plan.model, components, records, examples);
  const keyed = createEarlierSchemas(components, records, schemas.link, examples);
  return {
    keyed,
    schemas,
    examples,
    current: currentForm(components, schemas, auth),
    earlier: earlier === undefined ? undefined : earlierForm(components, schemas, keyed, { envelope: earlier, examples, signedIn: auth }),
  };
}

function descriptionOf(current: boolean, earlier: boolean): string {
  return [...(current || !earlier ? [currentDescription] : []), ...(earlier ? [earlierDescription] : []), both].join(' ');
}

const currentDescription = 'Bodies are flat JSON objects of attributes. Failures are answered with `application/problem+json` (RFC 9457).';

const earlierDescription =
  'Under `/api` bodies are keyed by the qualified names of types, instances carry two tags that say what they are, and what stands below an ' +
  'instance is under `->`. A create and a delete are answered with an envelope, an array with one object whose `status` is `ok`; ' +
  'the `status` of a failure is `error` or `not-found`. Each entity `E` also has the events `Create_E`, `Update_E`, `Delete_E`, `Lookup_E` and `LookupAll_E`.';

const both =
  '`HEAD` works wherever `GET` does, `OPTIONS` everywhere. ' +
  'Paths below an instance go on in the same way, `/{relationship}/{type}/{identifier}`, at any depth; this document shows the first levels. ' +
  'A list is filtered by attributes: `?name=value`, or `?name[op]=value` with `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `like` (`%` and `_` are wildcards), ' +
  '`ilike` (the same without regard to case), `in` and `between` (values separated by commas), `null` (`true` or `false`), `has` of lists. ' +
  '`record.field` and `map.key` name what stands inside of an attribute, `Rel.Other.attr` an attribute of related instances, along up to three relationships.';
