// Agents, language models and documents as the predecessor had them: instances at the top of a file, and `(inference …)`.

import type { AgentDeclaration, Field, StartupDeclaration } from '../../../model/declaration.ts';
import type { Expression, Literal, PatternAttribute } from '../../../model/pattern.ts';
import type { Span } from '../../../source.ts';
import {
  type Collection,
  type Form,
  isKeyword,
  isMap,
  type Keyword,
  lookUp,
  type MapForm,
  type Pair,
  pairsOf,
  textOf,
} from '../read/form.ts';
import { data, declaredName, expected, fault, isPlainName, type Lowering, literal } from './lowering.ts';

/** Where the model is not to run them: what they say is part of the model. */
export const instanceTypes: ReadonlySet<string> = new Set(['Platform.Core/LLM', 'Platform.Core/Document']);

export function lowerAiInstance(form: MapForm, type: Keyword, lowering: Lowering): StartupDeclaration | undefined {
  const [, body] = form.items;
  if (!isMap(body)) return expected(lowering, body, form, 'a map of attributes');
  const attributes = pairsOf(body).flatMap(({ key, value }): readonly PatternAttribute[] =>
    isKeyword(key) ? [{ name: { text: key.name, span: key.span }, value: plain(value, lowering), span: value.span }] : [],
  );
  lowering.verbatim.push(form.span);
  const pattern = {
    kind: 'instance',
    type: { text: type.name, span: type.span },
    all: false,
    attributes,
    nested: [],
    options: {},
    span: form.span,
  } as const;
  return { kind: 'startup', statement: { pattern, span: form.span }, text: textOf(form), span: form.span };
}

/** Data in which texts may be put together, and variables of the environment stand. */
function plain(form: Form, lowering: Lowering): Expression {
  if (form.kind === 'vector') return { kind: 'list', items: form.items.map((each) => plain(each, lowering)), span: form.span };
  if (isMap(form)) {
    const entries = pairsOf(form).flatMap(({ key, value }) =>
      isKeyword(key) ? [{ key: literal(key), value: plain(value, lowering) }] : [],
    );
    return { kind: 'map', entries, span: form.span };
  }
  if (form.kind !== 'list') return data(form, lowering);
  const [head, ...rest] = form.items;
  const name = head?.kind === 'symbol' ? head.name.slice(head.name.lastIndexOf('/') + 1) : '';
  const texts = rest.map((each) => plain(each, lowering));
  const [first] = texts;
  if (name === 'str' && texts.every((each) => each.kind === 'literal'))
    return textLiteral(texts.map((each) => (each.kind === 'literal' && each.value !== null ? String(each.value) : '')).join(''), form.span);
  if (name === 'getenv' && first?.kind === 'literal')
    return { kind: 'reference', path: ['process', 'env', String(first.value)], span: form.span };
  return data(form, lowering);
}

function textLiteral(value: string, span: Span): Literal {
  return { kind: 'literal', value, raw: JSON.stringify(value), span };
}

/** What each attribute is here. */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['UserInstruction', 'instruction'],
  ['LLM', 'llm'],
  ['Tools', 'tools'],
  ['ToolComponents', 'tools'],
]);

/** Say who the agent is, or how it works where the same is done for all agents here. */
const known = new Set(['Name', 'Input', 'Type', 'Delegates', 'Documents', 'Chat', ...fieldOf.keys()]);

/** Posted to as the event that `:Input` names, else by its own name. */
export function lowerAgent(form: MapForm, lowering: Lowering): AgentDeclaration | undefined {
  const [, body] = form.items;
  if (!isMap(body)) return expected(lowering, body, form, 'a map of the attributes of the agent');
  const own = nameIn(lookUp(body, 'Name'));
  const named = lookUp(body, 'Input') ?? lookUp(body, 'Name');
  const name = nameIn(named);
  if (named === undefined || name === undefined) return expected(lowering, named, form, 'the name of the agent, as a keyword,');
  if (!isPlainName(name))
    return fault(
      lowering,
      'name-malformed',
      named.span,
      `\`${textOf(named)}\` cannot be the name of an agent: names consist of letters, digits and \`_\``,
    );
  lowering.verbatim.push(form.span);
  return {
    kind: 'agent',
    name: { text: name, span: named.span },
    isPublic: true,
    annotations: [],
    fields: fieldsOf(form, body, lowering),
    text: textOf(form),
    ...(own === undefined || own === name ? {} : { alias: own }),
    span: form.span,
  };
}

/** As a keyword or a text, without its component; dashes are no part of names. */
function nameIn(form: Form | undefined): string | undefined {
  const text = isKeyword(form) ? form.name : form?.kind === 'text' ? form.value : undefined;
  return text?.slice(text.indexOf('/') + 1).replaceAll('-', '_');
}

function fieldsOf(form: Form, body: Collection, lowering: Lowering): readonly Field[] {
  const fields = new Map<string, Field>();
  const add = (name: string, value: Expression, span: Span): void => {
    fields.set(name, { name: { text: name, span }, value: joined(fields.get(name)?.value, value) });
  };
  for (const { key, value } of pairsOf(body)) {
    if (!isKeyword(key) || !known.has(key.name)) {
      fault(lowering, 'form-ignored', key.span, `\`${textOf(key)}\` of an agent has no effect`);
      continue;
    }
    const name = fieldOf.get(key.name);
    if (name === 'tools') add(name, toolNames(value, lowering), key.span);
    else if (name !== undefined) add(name, plain(value, lowering), key.span);
    else if (key.name === 'Delegates') add('delegates', delegateNames(value), key.span);
    else if (key.name === 'Documents') add('documents', titles(value, lowering), key.span);
    else if (key.name === 'Chat') for (const each of systemTexts(value, lowering)) add('instruction', each, key.span);
  }
  if (!fields.has('instruction')) add('instruction', textLiteral('Answer what you are asked.', form.span), form.span);
  return [...fields.values()];
}

/** Tools and components of tools are one list here; what the chat begins with stands behind the instruction. */
function joined(first: Expression | undefined, second: Expression): Expression {
  if (first?.kind === 'list' && second.kind === 'list') return { ...first, items: [...first.items, ...second.items] };
  if (first?.kind === 'literal' && second.kind === 'literal') return textLiteral(`${first.value}\n${second.value}`, first.span);
  return second;
}

/** `[:C/E]`, `["C/E"]`, `[{:name "C/E"}]`. */
function toolNames(form: Form, lowering: Lowering): Expression {
  const items = form.kind === 'vector' ? form.items : [form];
  return { kind: 'list', items: items.map((each) => data(isMap(each) ? (lookUp(each, 'name') ?? each) : each, lowering)), span: form.span };
}

/** `{:To :other}`, a list of such, or of names. */
function delegateNames(form: Form): Expression {
  const items = form.kind === 'vector' ? form.items : [form];
  const names = items.flatMap((each) => {
    const name = nameIn(isMap(each) ? lookUp(each, 'To') : each);
    return name === undefined ? [] : [textLiteral(name, each.span)];
  });
  return { kind: 'list', items: names, span: form.span };
}

/** Titles, or whole documents, of which the title counts: where they are is told beside the agent. */
function titles(form: Form, lowering: Lowering): Expression {
  const items = form.kind === 'vector' ? form.items : [form];
  return { kind: 'list', items: items.map((each) => plain(documentTitle(each), lowering)), span: form.span };
}

function documentTitle(form: Form): Form {
  const body = documentBody(form);
  return (body === undefined ? undefined : lookUp(body, 'Title')) ?? form;
}

function documentBody(form: Form): MapForm | undefined {
  if (!isMap(form)) return undefined;
  const [key, value] = form.items;
  return isKeyword(key, 'Platform.Core/Document') && isMap(value) ? value : form;
}

/** Documents that are written down inside of an agent, as instances beside it. */
export function documentsIn(form: MapForm, lowering: Lowering): readonly StartupDeclaration[] {
  const body = form.items[1];
  const given = isMap(body) ? lookUp(body, 'Documents') : undefined;
  const bodies = (given?.kind === 'vector' ? given.items : []).flatMap((each) => documentBody(each) ?? []);
  return bodies.flatMap((each) => {
    const type = { kind: 'keyword', name: 'Platform.Core/Document', span: each.span } as const;
    const whole = { kind: 'map', items: [type, each], span: each.span } as const;
    const instance = lowerAiInstance(whole, type, lowering);
    // It is written where it stands: inside of its agent.
    return instance === undefined ? [] : [{ ...instance, text: '' }];
  });
}

/** What a chat begins with, as far as it is told to the model as an instruction. */
function systemTexts(form: Form, lowering: Lowering): readonly Expression[] {
  const messages = isMap(form) ? lookUp(form, 'Messages') : undefined;
  return (messages?.kind === 'vector' ? messages.items : []).flatMap((each) => {
    const content = isMap(each) && isKeyword(lookUp(each, 'role'), 'system') ? lookUp(each, 'content') : undefined;
    return content === undefined ? [] : [plain(content, lowering)];
  });
}

/** `(inference :C/I {:agent "other" :instructions "…"})`: an event that asks an agent. */
export function lowerInference(form: Form, [, named, spec]: readonly Form[], lowering: Lowering): AgentDeclaration | undefined {
  const name = declaredName(named, form, 'the name of an inference', lowering);
  if (name === undefined) return undefined;
  if (!isMap(spec)) return expected(lowering, spec, form, 'a map with the `:agent`');
  const agent = lookUp(spec, 'agent');
  if (agent === undefined) return expected(lowering, undefined, form, 'a map with the `:agent`');
  for (const { key } of pairsOf(spec).filter(isForeign))
    fault(lowering, 'form-ignored', key.span, `\`${textOf(key)}\` of an inference has no effect`);
  const body = agentBody(agent);
  const other = nameIn(agent);
  if (body === undefined && other === undefined) return expected(lowering, agent, form, 'the name of an agent');
  const instructions = lookUp(spec, 'instructions');
  const own: Field[] = instructions === undefined ? [] : [field('instruction', plain(instructions, lowering), instructions.span)];
  const fields =
    body === undefined
      ? [field('extends', textLiteral(other ?? '', agent.span), agent.span), ...own]
      : [...fieldsOf(form, body, lowering).filter((each) => own.length === 0 || each.name.text !== 'instruction'), ...own];
  lowering.verbatim.push(form.span);
  const text = name.text.slice(name.text.indexOf('/') + 1);
  return {
    kind: 'agent',
    name: { text, span: name.span },
    isPublic: true,
    annotations: [],
    fields,
    text: textOf(form),
    span: form.span,
  };
}

function isForeign({ key }: Pair): boolean {
  return !isKeyword(key, 'agent') && !isKeyword(key, 'instructions');
}

function agentBody(form: Form): MapForm | undefined {
  if (!isMap(form)) return undefined;
  const [key, value] = form.items;
  return isKeyword(key, 'Platform.Core/Agent') && isMap(value) ? value : form;
}

function field(name: string, value: Expression, span: Span): Field {
  return { name: { text: name, span }, value };
}
