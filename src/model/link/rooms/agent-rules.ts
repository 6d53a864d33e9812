// The rules that agents go by: directives, scenarios and glossary, also where they stand beside their agent.

import type { Span } from '../../../source.ts';
import type { Value } from '../../../values/value.ts';
import type { FieldsDeclaration, RuleDeclaration } from '../../declaration.ts';
import type { FaultReport } from '../../fault-report.ts';
import { literalText } from '../../literals.ts';
import type { Agent, TypeName } from '../../model.ts';
import type { Expression, Statement } from '../../pattern.ts';
import { type Linking, lookUpAsked, reportUnknown } from '../scope.ts';
import { bodyFields, fieldFault, fieldsByName, textMap } from './agent-fields.ts';

/** What an agent goes by: written in its body, and beside it. */
export interface Rules {
  readonly directives: Agent['directives'][number][];
  readonly scenarios: Agent['scenarios'][number][];
  readonly glossary: Agent['glossary'][number][];
}

export function noRules(): Rules {
  return { directives: [], scenarios: [], glossary: [] };
}

/** `directive ag.d1`, `scenario ag.s1` and `glossaryEntry ag.g1`, by the agent they belong to. */
export function linkAdditions(linking: Linking): ReadonlyMap<TypeName, Rules> {
  const rules = new Map<TypeName, Rules>();
  for (const { module, declaration } of linking.scope.additions) {
    const agent = agentOf(declaration.name.text, declaration.name.span, module, linking);
    if (agent === undefined) continue;
    const own = rules.get(agent) ?? noRules();
    rules.set(agent, own);
    addRule(declaration, own, linking);
  }
  return rules;
}

function agentOf(text: string, span: Span, module: string, linking: Linking): TypeName | undefined {
  const dot = text.lastIndexOf('.');
  const name = dot > text.indexOf('/') ? text.slice(0, dot) : text;
  const entry = lookUpAsked(name, module, linking.scope);
  if (entry?.kind === 'agent' && name !== text) return entry.name;
  if (entry?.kind === 'agent') {
    linking.report.fault('name-unknown', span, 'a rule beside an agent has a name of its own', `write \`${text}.rule1\``);
    return undefined;
  }
  reportUnknown(linking, 'name-unknown', { what: 'agent', name, span, module }, (each) => each.kind === 'agent');
  return undefined;
}

function addRule(declaration: RuleDeclaration | FieldsDeclaration, rules: Rules, { report }: Linking): void {
  if (!isRule(declaration)) {
    addGlossaryEntry(declaration, rules, report);
    return;
  }
  const { kind, body, span } = declaration;
  const keys = kind === 'directive' ? (['if', 'then'] as const) : (['user', 'ai'] as const);
  const [given, wanted] = body.kind === 'rule' ? [literalText(body.condition), resultText(body.result)] : mapTexts(body, keys);
  if (given === undefined || wanted === undefined) fieldFault(kind, `two texts, "${keys[0]}" and "${keys[1]}"`, span, report);
  else if (kind === 'directive') rules.directives.push(directive(given, wanted));
  else rules.scenarios.push(scenario(given, wanted));
}

function isRule(declaration: RuleDeclaration | FieldsDeclaration): declaration is RuleDeclaration {
  return declaration.kind === 'directive' || declaration.kind === 'scenario';
}

const glossaryFields = { word: 'a text', name: 'a text', meaning: 'a text', synonyms: 'a text' };

function addGlossaryEntry({ body, span }: FieldsDeclaration, rules: Rules, report: FaultReport): void {
  const fields = fieldsByName(bodyFields(body), glossaryFields, report);
  const name = literalText(fields.get('word') ?? fields.get('name'));
  const meaning = literalText(fields.get('meaning'));
  if (name === undefined || meaning === undefined) fieldFault('glossaryEntry', 'a word with a meaning, both texts', span, report);
  else rules.glossary.push(glossaryEntry(name, meaning, literalText(fields.get('synonyms'))));
}

function mapTexts(body: Expression, [first, second]: readonly [string, string]): readonly [Value | undefined, Value | undefined] {
  const map = textMap(body, [first, second]);
  return [map?.[first], map?.[second]];
}

/** A text as it is; the name of a workflow or a whole pattern as it was written. */
function resultText({ pattern, span }: Statement): string {
  const text = pattern.kind === 'expression' ? literalText(pattern.expression) : undefined;
  return text ?? span.source.text.slice(span.start, span.end);
}

export function directive(condition: Value | undefined, result: Value | undefined): Rules['directives'][number] {
  return { condition: String(condition), result: String(result) };
}

export function scenario(user: Value | undefined, ai: Value | undefined): Rules['scenarios'][number] {
  return { user: String(user), ai: String(ai) };
}

export function glossaryEntry(name: Value | undefined, meaning: Value | undefined, synonyms: Value | undefined): Rules['glossary'][number] {
  return { name: String(name), meaning: String(meaning), synonyms: synonyms === undefined ? undefined : String(synonyms) };
}
