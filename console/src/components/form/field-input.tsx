// The field of one value, by its type. Whatever it is, it can be typed.

import { type KeyboardEvent, useState } from 'react';
import type { AttributeDescription } from '../../api/model.ts';
import { shortened } from '../value.tsx';
import { emptyText } from './draft.ts';
import { shownBreaks, typedInto } from './line-breaks.ts';

export interface InputParts {
  readonly id: string;
  readonly attribute: AttributeDescription;
  readonly text: string;
  readonly isInvalid: boolean;
  readonly isDisabled: boolean;
  readonly 'aria-describedby'?: string;
  readonly onChange: (text: string) => void;
}

const pickers: Readonly<Record<string, string>> = { date: 'date', datetime: 'datetime-local', time: 'time' };

/** A text of this length takes the browser seconds to lay out in a field. */
const longest = 20_000;

export function FieldInput({ text, ...rest }: InputParts) {
  const parts = { ...rest, text: text === emptyText ? '' : text };
  const [isWhole, setWhole] = useState(parts.text.length <= longest);
  if (isWhole) return <WholeInput {...parts} />;
  return (
    <div className="long-text">
      <output id={parts.id} aria-describedby={parts['aria-describedby']} dir="auto">
        {shortened(parts.text)}
      </output>
      <button type="button" onClick={() => setWhole(true)}>
        Show all {parts.text.length.toLocaleString()} characters
      </button>
    </div>
  );
}

function WholeInput({ attribute, text, isInvalid, isDisabled, onChange, ...rest }: InputParts) {
  const { name, kind, enum: choices, secret, writeOnly, required, readOnly, defaultValue } = attribute;
  // Once: what grows and shrinks while somebody types moves everything below it.
  const [isLong, setLong] = useState(text.length > 60);
  if (!isLong && /[\r\n]/.test(text)) setLong(true);
  const common = {
    ...rest,
    name,
    value: text,
    'aria-invalid': isInvalid,
    'aria-required': required,
    disabled: isDisabled || readOnly,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (choices !== undefined || kind === 'boolean') {
    const options = choices?.map(String) ?? ['true', 'false'];
    return (
      <select {...common}>
        <option value="">{defaultValue === undefined ? '–' : `– (${String(defaultValue)})`}</option>
        {options.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    );
  }
  if (kind === 'json' || kind === 'record')
    return <textarea {...common} className="code" rows={Math.min(12, text.split('\n').length + 1)} spellCheck={false} />;
  if (secret || writeOnly) return <input {...common} type="password" autoComplete="new-password" />;
  if (kind === 'integer' || kind === 'real' || kind === 'decimal') return <input {...common} inputMode="decimal" className="figure" />;
  if (pickers[kind] !== undefined)
    return (
      <span className="with-picker">
        <input {...common} placeholder={{ date: '2026-01-31', time: '13:45:00', datetime: '2026-01-31T13:45:00Z' }[kind]} />
        {!common.disabled && <Picker kind={kind} name={name} text={text} onChange={onChange} />}
      </span>
    );
  return (
    <textarea
      {...common}
      dir="auto"
      rows={isLong ? Math.min(10, 1 + Math.ceil(text.length / 60) + text.split('\n').length) : 1}
      className={isLong ? undefined : 'one-line'}
      title={isLong ? undefined : 'Shift and Enter begin a new line'}
      value={shownBreaks(text)}
      onChange={(event) => onChange(typedInto(text, event.target.value))}
      onKeyDown={sendForm}
    />
  );
}

/** Whether a key ends the text: Enter in one that is a line, with Ctrl or ⌘ also in others. */
export function isEndOfText({ key, target, shiftKey, altKey, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): boolean {
  // An Enter that ends a composition chooses what is written.
  if (key !== 'Enter' || nativeEvent.isComposing) return false;
  const isLine = !(target instanceof HTMLTextAreaElement) || target.classList.contains('one-line');
  return ctrlKey || metaKey || (isLine && !shiftKey && !altKey);
}

/** As Enter in a field of one line does it: by the button, so that one that cannot be used sends nothing. */
function sendForm(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const { form } = event.currentTarget;
  if (form === null || !isEndOfText(event)) return;
  event.preventDefault();
  form.querySelector<HTMLButtonElement>('[type=submit]')?.click();
}

/** Beside the text, which is what counts. */
function Picker({ kind, name, text, onChange }: { kind: string; name: string; text: string; onChange: (text: string) => void }) {
  const isWallTime = wallTime.test(text);
  const local = kind !== 'datetime' ? text : isWallTime ? text.replace(' ', 'T').slice(0, 19) : localTime(text);
  const pick = (given: string): void => {
    const at = new Date(given);
    // Browsers leave out seconds that are none.
    if (kind === 'datetime' && isWallTime) onChange(given.length === 16 ? `${given}:00` : given);
    else onChange(kind !== 'datetime' || Number.isNaN(at.getTime()) ? given : at.toISOString());
  };
  return (
    <input
      type={pickers[kind]}
      className="picker"
      aria-label={`Pick ${name}`}
      value={local}
      step={kind === 'date' ? undefined : 1}
      onChange={(event) => pick(event.target.value)}
    />
  );
}

/** A time without a zone is the same everywhere, and stays without one. */
const wallTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

function localTime(text: string): string {
  const at = new Date(text);
  if (text === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
