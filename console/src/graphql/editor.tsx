// An editor of text. It stands in a shadow root: there its styles are constructed sheets, and the policy of the page needs no exception for them.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql, updateSchema } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useRef } from 'react';

interface EditorParts {
  readonly label: string;
  readonly value: string;
  readonly language: 'graphql' | 'json';
  readonly schema?: GraphQLSchema | undefined;
  /** Without it the text can only be read. */
  readonly onChange?: (text: string) => void;
  readonly onRun?: () => void;
  /** A type or a field that the reader wants to know more of. */
  readonly onShow?: (type: string) => void;
}

export function Editor({ label, value, language, schema, onChange, onRun, onShow }: EditorParts) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const begin = useRef(value);
  // What was told to whoever holds the text, and is not rendered yet.
  const told = useRef<string[]>([]);
  // What the editor calls is that of the last rendering, while the editor itself stays.
  const calls = useRef({ onChange, onRun, onShow });
  useEffect(() => {
    calls.current = { onChange, onRun, onShow };
  });
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const run = (): boolean => {
      calls.current.onRun?.();
      return true;
    };
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        // Nobody can undo what it begins with.
        doc: begin.current,
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          common,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          language === 'json' ? (isReadOnly ? json() : [json(), linter(emptyOr(jsonParseLinter()))]) : graphqlSupport(calls),
          isReadOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
          isReadOnly ? EditorView.contentAttributes.of({ tabindex: '0', role: 'textbox', 'aria-readonly': 'true' }) : [],
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            told.current.push(text);
            calls.current.onChange?.(text);
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [label, language, isReadOnly]);
  useEffect(() => {
    const shown = view.current?.state.doc.toString();
    // A text that was told earlier has been written on since.
    if (shown !== value && told.current.includes(value)) return;
    told.current = [];
    if (shown !== value) view.current?.dispatch({ changes: { from: 0, to: shown?.length ?? 0, insert: value } });
  });
  useEffect(() => {
    if (view.current !== undefined && schema !== undefined) updateSchema(view.current, schema);
  }, [schema]);
  return <div className="editor" ref={host} />;
}

function graphqlSupport(calls: { readonly current: { readonly onShow: EditorParts['onShow'] | undefined } }): Extension {
  return graphql(undefined, {
    onShowInDocs: (_field, type, parent) => calls.current.onShow?.(type ?? parent ?? ''),
  });
}

/** No text at all is no fault. */
function emptyOr(check: ReturnType<typeof jsonParseLinter>): typeof check {
  return (view) => (view.state.doc.toString().trim() === '' ? [] : check(view));
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.bool, tags.null], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.integer, tags.float], color: 'var(--code-number)' },
  { tag: [tags.variableName, tags.attributeName, tags.special(tags.name)], color: 'var(--code-variable)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-name)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--soft)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--ground)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, Menlo, Consolas, monospace', lineHeight: '20px' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--soft)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-ground)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
});

const common: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion(),
  syntaxHighlighting(colours),
  theme,
  EditorView.lineWrapping,
  // The tab key leaves the editor: a keyboard must never be caught in it.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
];
