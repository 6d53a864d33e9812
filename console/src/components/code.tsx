// Text of a program, as it is. What scrolls is reached by the keyboard.

import { visible } from './value.tsx';

export function Code({ text, most = 20_000 }: { text: string; most?: number }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <pre className="code" tabIndex={0}>
        {visible(text.slice(0, most))}
      </pre>
      {text.length > most && (
        <p className="hint">
          These are the first {most.toLocaleString()} of {text.length.toLocaleString()} characters.
        </p>
      )}
    </>
  );
}
