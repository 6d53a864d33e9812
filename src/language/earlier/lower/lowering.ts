// In charge of what every step of lowering needs: faults, names and plain data of forms.

import { type Diagnostic, type DiagnosticCode, diagnostic, nearest } from '../../../diagnostics.ts';
import type { Annotation } from '../../../model/declaration.ts';
import type { CodeExpression, Expression, Literal, MapExpression, Name } from '../../../model/pattern.ts';
import type { Source, Span } from '../../../source.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { type Collection, type Form, type Keyword, pairsOf, textOf } from '../read/form.ts';

export interface Lowering {
  readonly source: Source;
  readonly component: string;
  /** Local names that this file declares: unqualified ones belong to its component. */
  readonly declared: ReadonlySet<string>;
  /** `(import "rates.js" :as :rates)`. */
  readonly imports: ReadonlySet<string>;
  /** `(defmacro ...)`: what looks like a call of these is none. */
  readonly macros: ReadonlySet<string>;
  /** `(defn ...)`: these are not the service's own functions of the same names. */
  readonly functions: ReadonlySet<string>;
  /** Whether names of the own component are wanted without it, as far as that is possible. */
  readonly localNames: boolean;
  readonly diagnostics: Diagnostic[];
  /** What is kept as text: comments inside of it are part of that text. */
  readonly verbatim: Span[];
}

export function fault(lowering: Lowering, code: DiagnosticCode, span: Span, message: string, suggestion?: string): undefined {
  lowering.diagnostics.push(diagnostic(code, span, message, suggestion));
  return undefined;
}

export function expected(lowering: Lowering, form: Form | undefined, around: Form, what: string): undefined {
  return fault(lowering, 'token-unexpected', (form ?? around).span, `${what} is expected here`);
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : `did you mean \`:${near}\`?`;
}

/** `Platform.Kernel.Lang/Int` is `Int`. */
const kernel = 'Platform.Kernel.Lang/';

export function nameOf({ name, span }: Keyword): Name {
  return { text: name.startsWith(kernel) && isKernelType(name.slice(kernel.length)) ? name.slice(kernel.length) : name, span };
}

/** The entities and events of the kernel keep its name; only its types are written without. */
function isKernelType(local: string): boolean {
  return !['AppInit', 'InitConfig', 'Timer', 'Policy', 'DataSync', 'DataSource', 'Response', 'Config', 'Future'].includes(local);
}

const plainName = /^[_\p{L}][_\p{L}\p{N}\p{M}]*$/u;

export function isPlainName(text: string): boolean {
  return plainName.test(text);
}

/** The name of something that is declared here. */
export function declaredName(form: Form | undefined, around: Form, what: string, lowering: Lowering): Name | undefined {
  if (form?.kind !== 'keyword') return expected(lowering, form, around, `${what}, as a keyword,`);
  const name = { text: form.name, span: form.span };
  const local = form.name.slice(form.name.indexOf('/') + 1);
  if (!isPlainName(local)) {
    fault(lowering, 'name-malformed', form.span, `\`:${form.name}\` cannot be ${what}: names consist of letters, digits and \`_\``);
    return undefined;
  }
  return name;
}

export function attributeName(form: Keyword, lowering: Lowering): Name | undefined {
  if (isPlainName(form.name)) return { text: form.name, span: form.span };
  return fault(
    lowering,
    'name-malformed',
    form.span,
    `\`:${form.name}\` cannot be the name of an attribute: names consist of letters, digits and \`_\``,
  );
}

export function annotation(name: string, at: Form, args: readonly Expression[] = [], end: Form = at): Annotation {
  return { kind: 'plain', name: { text: name, span: at.span }, arguments: args, span: spanOver(at, end) };
}

export function spanOver(first: Form, last: Form): Span {
  return { ...first.span, end: last.span.end };
}

/** `:E.Attr`, `:C.D/E.Attr.Sub`: the parts, the first with its component. */
export function pathOf(name: string): readonly string[] {
  const slash = name.indexOf('/');
  const [first = '', ...rest] = name.slice(slash + 1).split('.');
  return [name.slice(0, slash + 1) + first, ...rest].filter((each) => each !== '');
}

export function reference(path: readonly string[], span: Span): Expression {
  return { kind: 'reference', path, span };
}

export function code(form: Form, lowering: Lowering): CodeExpression {
  lowering.verbatim.push(form.span);
  return { kind: 'code', text: textOf(form), span: form.span };
}

/** A form as plain data: keywords are texts. What is code stays code. */
export function data(form: Form, lowering: Lowering): Expression {
  switch (form.kind) {
    case 'keyword':
    case 'nil':
    case 'boolean':
    case 'number':
    case 'text':
    case 'character':
    case 'regex':
      return literal(form);
    case 'vector':
    case 'set':
      return { kind: 'list', items: form.items.map((each) => data(each, lowering)), span: form.span };
    case 'map':
      return dataMap(form, lowering);
    case 'quote':
      return data(form.form, lowering);
    case 'tagged':
      return form.form.kind === 'text' ? literal(form.form) : code(form, lowering);
    default:
      return code(form, lowering);
  }
}

export function dataMap(map: Collection, lowering: Lowering): MapExpression {
  const entries = pairsOf(map).flatMap(({ key, value }) => {
    const found = keyOf(key);
    if (found === undefined) fault(lowering, 'token-unexpected', key.span, 'a keyword or a text is expected as the key');
    return found === undefined ? [] : [{ key: found, value: data(value, lowering) }];
  });
  return { kind: 'map', entries, span: map.span };
}

export function keyOf(form: Form): Literal | undefined {
  // As a key it is a text.
  if (form.kind === 'number' && form.value instanceof ExactNumber) return { ...literal(form), value: form.value.text };
  return form.kind === 'keyword' || form.kind === 'text' || form.kind === 'number' || form.kind === 'boolean' ? literal(form) : undefined;
}

type Plain = Extract<Form, { kind: 'keyword' | 'nil' | 'boolean' | 'number' | 'text' | 'character' | 'regex' }>;

export function literal(form: Plain): Literal {
  const { span } = form;
  const raw = textOf(form);
  switch (form.kind) {
    case 'keyword':
      return { kind: 'literal', value: form.name, raw: `:${form.name}`, span };
    case 'nil':
      return { kind: 'literal', value: null, raw: 'null', span };
    case 'number':
      return { kind: 'literal', value: form.value, raw: form.text, span };
    default:
      return { kind: 'literal', value: form.value, raw, span };
  }
}

/** A function: of an imported module, of the file itself, or written in place. */
export function functionOf(form: Form, lowering: Lowering): Expression {
  const imported = form.kind === 'symbol' ? importedName(form.name, lowering) : undefined;
  return imported === undefined ? code(form, lowering) : reference(imported, form.span);
}

export function importedName(symbol: string, { imports }: Lowering): readonly string[] | undefined {
  const [alias = '', name = '', ...more] = symbol.split('/');
  return more.length === 0 && isPlainName(name.replaceAll('$', '_')) && imports.has(alias) ? [alias, name] : undefined;
}
