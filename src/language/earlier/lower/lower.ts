// In charge of whole files of the earlier surface: forms → the unit of declarations.

import { nearest } from '../../../diagnostics.ts';
import type { CodeDeclaration, Comment, Declaration, ImportDeclaration, Unit } from '../../../model/declaration.ts';
import type { CodeExpression, Name } from '../../../model/pattern.ts';
import type { Source } from '../../../source.ts';
import type { ReadResult } from '../../front-end.ts';
import { type Form, isKeyword, isMap, textOf } from '../read/form.ts';
import { type FormsRead, readForms } from '../read/read.ts';
import { lowerInference } from './agent.ts';
import { lowerNamedAttribute } from './attribute.ts';
import { lowerDataflow, lowerReaction, lowerStartup } from './dataflow/dataflow.ts';
import { code, declaredName, expected, fault, type Lowering, literal, nameOf } from './lowering.ts';
import { aliasesIn } from './names.ts';
import { lowerResolver } from './resolver.ts';
import { lowerRelationship, lowerType } from './type.ts';

export function readUnit(source: Source): ReadResult {
  return lowerUnit(source, false);
}

/** As `readUnit`, with the names of the own component written without it, as the other surface does. */
export function readLocalUnit(source: Source): ReadResult {
  return lowerUnit(source, true);
}

function lowerUnit(source: Source, localNames: boolean): ReadResult {
  const read = readForms(source);
  const lowering = startLowering(source, read, localNames);
  const file: File = { module: undefined, moduleOptions: undefined, imports: [], declarations: [] };
  for (const form of read.forms) lowerForm(localNames ? localForm(form, lowering.component) : form, file, lowering);
  const outside = read.forms.length > 0 || read.diagnostics.length === 0;
  if (file.module === undefined && outside) {
    const span = { source, start: 0, end: 0 };
    fault(lowering, 'module-missing', span, 'the file does not say which component it declares', 'begin it with `(component :Name)`');
  }
  const { module, moduleOptions, imports, declarations } = file;
  const unit: Unit = {
    source,
    ...(module === undefined ? {} : { module }),
    ...(moduleOptions === undefined ? {} : { moduleOptions }),
    imports,
    declarations,
    comments: withoutVerbatim(read.comments, lowering),
  };
  return { unit, diagnostics: inOrder([...read.diagnostics, ...lowering.diagnostics]) };
}

interface File {
  module: Name | undefined;
  moduleOptions: CodeExpression | undefined;
  readonly imports: ImportDeclaration[];
  readonly declarations: Declaration[];
}

/** Names of the component without it, except where a name would then mean an alias. */
function localForm(form: Form, component: string): Form {
  const aliases = aliasesIn([form]);
  const prefix = `${component}/`;
  const local = (each: Form): Form => {
    if ('form' in each) return { ...each, form: local(each.form) };
    if ('items' in each) return { ...each, items: each.items.map(local) };
    if (each.kind !== 'keyword' || !each.name.startsWith(prefix)) return each;
    const name = each.name.slice(prefix.length);
    return aliases.has(name.split('.')[0] ?? '') ? each : { ...each, name };
  };
  return local(form);
}

function startLowering(source: Source, { forms }: FormsRead, localNames: boolean): Lowering {
  const lists = forms.flatMap((form) => (form.kind === 'list' ? [form.items] : []));
  const named = lists.find((items) => headOf(items) === 'component')?.[1];
  const component = isKeyword(named) ? named.name : '';
  return {
    source,
    component,
    declared: new Set(lists.flatMap((items) => declaredLocals(items, component))),
    imports: new Set(lists.flatMap((items) => (headOf(items) === 'import' && isKeyword(items[3]) ? [items[3].name] : []))),
    macros: new Set(lists.flatMap((items) => (headOf(items) === 'defmacro' && items[1]?.kind === 'symbol' ? [items[1].name] : []))),
    functions: new Set(lists.flatMap(definedFunction)),
    localNames,
    diagnostics: [],
    verbatim: [],
  };
}

function definedFunction(items: readonly Form[]): readonly string[] {
  const [, name] = items;
  return ['def', 'defn', 'defn-', 'defonce'].includes(headOf(items)) && name?.kind === 'symbol' ? [name.name] : [];
}

function headOf(items: readonly Form[]): string {
  const [head] = items;
  return head?.kind === 'symbol' ? head.name : '';
}

const constructs = new Set([
  'component',
  'entity',
  'record',
  'event',
  'relationship',
  'attribute',
  'dataflow',
  'rule',
  'inference',
  'resolver',
  'view',
  'pattern',
  'import',
]);

/** Which local name a form declares, whether or not it says its component. A dataflow on an event of another one declares nothing. */
function declaredLocals(items: readonly Form[], component: string): readonly string[] {
  const head = headOf(items);
  if (!constructs.has(head) || head === 'component' || head === 'pattern' || head === 'import') return [];
  const [, first] = items;
  const [inner] = isMap(first) || first?.kind === 'vector' ? first.items : [first];
  if (!isKeyword(inner) || inner.name === 'before' || inner.name === 'after') return [];
  const at = inner.name.indexOf('/');
  return head === 'dataflow' && at !== -1 && inner.name.slice(0, at) !== component ? [] : [inner.name.slice(at + 1)];
}

function lowerForm(form: Form, file: File, lowering: Lowering): undefined {
  if (isMap(form)) return addDeclarations(lowerStartup(form, lowering), file);
  if (form.kind !== 'list') return expected(lowering, form, form, 'a declaration');
  const head = headOf(form.items);
  if (head === 'component') return lowerComponent(form, form.items, file, lowering);
  if (head === 'import') return lowerImport(form, form.items, file, lowering);
  if (constructs.has(head)) return addDeclarations(lowerDeclaration(head, form, form.items, lowering), file);
  checkHead(form, form.items, lowering);
  file.declarations.push(lowerCode(form, form.items, lowering));
}

function addDeclarations(found: Declaration | readonly Declaration[] | undefined, file: File): undefined {
  if (found !== undefined) file.declarations.push(...('kind' in found ? [found] : found));
}

function lowerComponent(form: Form, items: readonly Form[], file: File, lowering: Lowering): undefined {
  const [, name, options] = items;
  if (!isKeyword(name) || name.name.includes('/')) return expected(lowering, name, form, 'the name of the component, as a keyword,');
  if (file.module !== undefined) {
    fault(lowering, 'module-repeated', form.span, `the file already declares the component \`${file.module.text}\``);
    return;
  }
  file.module = nameOf(name);
  if (options !== undefined) file.moduleOptions = code(options, lowering);
}

/** `(import "rates.js" :as :rates)`. */
function lowerImport(form: Form, items: readonly Form[], file: File, lowering: Lowering): undefined {
  const [, path, word, alias, ...further] = items;
  // In Clojure the word imports classes: then it is code.
  if (path?.kind !== 'text') file.declarations.push(lowerCode(form, items, lowering));
  else if (!isKeyword(word, 'as') || !isKeyword(alias)) expected(lowering, word, form, '`:as` and a name for the import');
  else if (further[0] !== undefined && !isExternal(further))
    fault(lowering, 'token-unexpected', further[0].span, 'behind its file and name an import has `:external true`, and nothing else');
  else file.imports.push({ path: literal(path), alias: nameOf(alias), external: further.length > 0, span: form.span });
}

function isExternal([word, value, ...more]: readonly Form[]): boolean {
  return isKeyword(word, 'external') && value?.kind === 'boolean' && value.value && more.length === 0;
}

function lowerDeclaration(
  head: string,
  form: Form,
  items: readonly Form[],
  lowering: Lowering,
): Declaration | readonly Declaration[] | undefined {
  switch (head) {
    case 'entity':
    case 'record':
    case 'event':
      return lowerType(head, form, items, lowering);
    case 'relationship':
      return lowerRelationship(form, items, lowering);
    case 'attribute':
      return lowerNamedAttribute(form, items, lowering);
    case 'dataflow':
      return lowerDataflow(form, items, lowering);
    case 'rule':
      return lowerReaction(form, items, lowering);
    case 'resolver':
      return lowerResolver(form, items, lowering);
    case 'inference':
      return lowerInference(form, items, lowering);
    case 'pattern':
      return items[1] === undefined ? expected(lowering, undefined, form, 'a pattern') : lowerStartup(items[1], lowering);
    default:
      return lowerForeign(head, form, items, lowering);
  }
}

/** Read and kept, but without behaviour. */
function lowerForeign(head: string, form: Form, items: readonly Form[], lowering: Lowering): Declaration | undefined {
  const [inner] = isMap(items[1]) ? items[1].items : [items[1]];
  const name = declaredName(inner, form, `the name of a ${head}`, lowering);
  if (name === undefined) return undefined;
  fault(
    lowering,
    'form-ignored',
    form.span,
    `\`${head}\` is accepted, but has no behaviour here; calls of \`${name.text}\` are not available`,
  );
  lowering.verbatim.push(form.span);
  return { kind: 'foreign', form: head, name, text: textOf(form), span: form.span };
}

/** A definition, or anything else that is code. */
function lowerCode(form: Form, items: readonly Form[], lowering: Lowering): CodeDeclaration {
  lowering.verbatim.push(form.span);
  const [, name] = items;
  const defines = headOf(items).startsWith('def') && name?.kind === 'symbol';
  const declaration = { kind: 'code', text: textOf(form), span: form.span } as const;
  return defines ? { ...declaration, name: { text: name.name, span: name.span } } : declaration;
}

/** `(entiy :Name {...})` is no call of a function. */
function checkHead(form: Form, items: readonly Form[], lowering: Lowering): undefined {
  const head = headOf(items);
  const near = nearest(head, constructs);
  if (near === undefined || !isKeyword(items[1])) return;
  fault(lowering, 'declaration-unknown', (items[0] ?? form).span, `there is no declaration \`${head}\``, `did you mean \`${near}\`?`);
}

/** Comments inside of what is kept as text are part of that text. */
function withoutVerbatim(comments: readonly Comment[], { verbatim }: Lowering): readonly Comment[] {
  const spans = [...verbatim].sort((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  let end = 0;
  return comments.filter(({ span }) => {
    for (let each = spans[next]; each !== undefined && each.start <= span.start; each = spans[next]) {
      end = Math.max(end, each.end);
      next += 1;
    }
    return span.end > end;
  });
}

function inOrder(diagnostics: ReadResult['diagnostics']): ReadResult['diagnostics'] {
  return [...diagnostics].sort((a, b) => a.line - b.line || a.column - b.column);
}
