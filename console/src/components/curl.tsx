// "Copy as curl": the request behind what is shown.

import { asCurl, type Call, Problem } from '../api/request.ts';
import { messageOf } from './fault-text.tsx';
import { toast } from './toast.tsx';

export function CopyAsCurl({ asked }: { asked: () => Call }) {
  const copy = async (): Promise<void> => {
    const text = curlOf(asked, (thrown) => toast(`Not copied: ${messageOf(thrown)}`));
    if (text === undefined) return;
    try {
      await navigator.clipboard.writeText(text);
      toast('Copied as curl');
    } catch {
      // Without a secure context there is no clipboard: then it is shown to be copied by hand.
      window.prompt('Copy this', text);
    }
  };
  return (
    <button type="button" className="quiet" onClick={copy}>
      Copy as curl
    </button>
  );
}

/** Nothing where what was typed cannot be sent, as JSON that is not whole yet. */
export function curlOf(asked: () => Call, onFault?: (thrown: Problem) => void): string | undefined {
  try {
    return asCurl(asked());
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    onFault?.(thrown);
    return undefined;
  }
}
