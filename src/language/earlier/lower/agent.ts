// `{:Platform.Core/Agent {…}}` at the top of a file: an agent as the predecessor had them, as the declaration of one.

import type { AgentDeclaration, Field } from '../../../model/declaration.ts';
import type { Expression } from '../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type MapForm, pairsOf, textOf } from '../read/form.ts';
import { data, expected, fault, isPlainName, type Lowering, literal } from './lowering.ts';

/** What each attribute is here. */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['UserInstruction', 'instruction'],
  ['LLM', 'llm'],
  ['Tools', 'tools'],
  ['ToolComponents', 'tools'],
  ['Documents', 'documents'],
]);

/** Say who the agent is, or how it works where the same is done for all agents here. */
const known = new Set(['Name', 'Input', 'Type', ...fieldOf.keys()]);

/** Posted to as the event that `:Input` names, else by its own name. */
export function lowerAgent(form: MapForm, lowering: Lowering): AgentDeclaration | undefined {
  const [, body] = form.items;
  if (!isMap(body)) return expected(lowering, body, form, 'a map of the attributes of the agent');
  const pairs = pairsOf(body);
  const attributeOf = (name: string): Form | undefined => pairs.find(({ key }) => isKeyword(key, name))?.value;
  const named = attributeOf('Input') ?? attributeOf('Name');
  const text = isKeyword(named) ? named.name : named?.kind === 'text' ? String(literal(named).value) : undefined;
  if (named === undefined || text === undefined) return expected(lowering, named, form, 'the name of the agent, as a keyword,');
  const name = text.slice(text.indexOf('/') + 1).replaceAll('-', '_');
  if (!isPlainName(name))
    return fault(
      lowering,
      'name-malformed',
      named.span,
      `\`${text}\` cannot be the name of an agent: names consist of letters, digits and \`_\``,
    );
  for (const { key } of pairs)
    if (!isKeyword(key) || !known.has(key.name)) fault(lowering, 'form-ignored', key.span, `\`${textOf(key)}\` of an agent has no effect`);
  lowering.verbatim.push(form.span);
  return {
    kind: 'agent',
    name: { text: name, span: named.span },
    isPublic: true,
    annotations: [],
    fields: fieldsOf(form, pairs, lowering),
    text: textOf(form),
    span: form.span,
  };
}

function fieldsOf(form: MapForm, pairs: ReturnType<typeof pairsOf>, lowering: Lowering): readonly Field[] {
  const fields = new Map<string, Field>();
  for (const { key, value } of pairs) {
    const name = isKeyword(key) ? fieldOf.get(key.name) : undefined;
    if (name === undefined) continue;
    const given = data(value, lowering);
    const before = fields.get(name)?.value;
    fields.set(name, { name: { text: name, span: key.span }, value: joined(before, given) });
  }
  const instruction: Field = {
    name: { text: 'instruction', span: form.span },
    value: { kind: 'literal', value: 'Answer what you are asked.', raw: '"Answer what you are asked."', span: form.span },
  };
  return fields.has('instruction') ? [...fields.values()] : [instruction, ...fields.values()];
}

/** Tools and components of tools are one list here. */
function joined(first: Expression | undefined, second: Expression): Expression {
  return first?.kind === 'list' && second.kind === 'list' ? { ...first, items: [...first.items, ...second.items] } : second;
}
