// One of several values, with its label beside it.

import { useId } from 'react';

interface ChoiceParts {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (string | { readonly value: string; readonly text: string })[];
  readonly className?: string;
  readonly onChange: (value: string) => void;
}

export function Choice({ label, value, options, className, onChange }: ChoiceParts) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((each) => {
          const { value: given, text } = typeof each === 'string' ? { value: each, text: each } : each;
          return (
            <option key={given} value={given}>
              {text}
            </option>
          );
        })}
      </select>
    </div>
  );
}
