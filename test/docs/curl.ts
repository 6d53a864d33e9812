// Runs the `curl` commands of the documentation without curl: the few options that the pages use.

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** `-i`: the status line and headers are shown too. */
  readonly showsHeaders: boolean;
}

const withValue = new Map([
  ['-X', 'method'],
  ['--request', 'method'],
  ['-H', 'header'],
  ['--header', 'header'],
  ['-d', 'body'],
  ['--data', 'body'],
]);

export function parseCurl(command: string): Call {
  const [program, ...words] = wordsOf(command);
  if (program !== 'curl') throw new Error(`not a curl command: ${command}`);
  let [method, url, body, showsHeaders]: [string | undefined, string, string | undefined, boolean] = [undefined, '', undefined, false];
  const headers: Record<string, string> = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const option = withValue.get(word);
    if (option !== undefined) {
      index += 1;
      const value = words[index] ?? '';
      if (option === 'method') method = value;
      else if (option === 'body') body = value;
      else headers[value.slice(0, value.indexOf(':')).toLowerCase()] = value.slice(value.indexOf(':') + 1).trim();
    } else if (word === '-i') showsHeaders = true;
    else if (word.startsWith('-')) {
      if (!['-s', '-g', '-sg', '-S'].includes(word)) throw new Error(`option ${word} is not known to the test: ${command}`);
    } else url = word;
  }
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body, showsHeaders };
}

/** Words as a shell reads them: single quotes keep everything, double quotes too where there is nothing to expand. */
function wordsOf(command: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)) {
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single: string | undefined, double: string | undefined) => single ?? double ?? ''));
  }
  return words;
}
