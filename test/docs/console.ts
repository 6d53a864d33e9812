// The `console` blocks of a page: their `curl` commands run against a service, those of `platform` on its project, and what they say put in the place of
// what is shown.

import { parseCurl } from './curl.ts';

/** The projects that the page calls. */
export function projectsOf(text: string): readonly string[] {
  return [...text.matchAll(/<!-- tested: (\S+) -->/g)].map((match) => match[1] ?? '');
}

/** Runs a command of `platform`, by its words. */
export type RunCommand = (words: readonly string[]) => Promise<string>;

const noCommands: RunCommand = async (words) => {
  throw new Error(`platform ${words.join(' ')}: there is no project here to run it on`);
};

/** The page with the answers of this run; what its commands find in variables besides those that they set, is given. */
export async function rerun(
  text: string,
  project: string,
  address: string,
  run: RunCommand = noCommands,
  given: Variables = new Map(),
): Promise<string> {
  const start = text.indexOf(`<!-- tested: ${project} -->`);
  const end = text.indexOf('<!-- /tested -->', start);
  const variables: Variables = new Map(given);
  let result = '';
  let at = start;
  for (const match of text.slice(start, end).matchAll(/```console\n([\s\S]*?)```/g)) {
    const place = start + match.index;
    result += text.slice(at, place);
    result += `\`\`\`console\n${await rerunBlock(match[1] ?? '', address, variables, run)}\`\`\``;
    at = place + match[0].length;
  }
  return text.slice(0, start) + result + text.slice(at);
}

async function rerunBlock(block: string, address: string, variables: Variables, run: RunCommand): Promise<string> {
  let result = '';
  for (const line of block.split('\n').filter((each) => each.startsWith('$ '))) {
    const isCommand = line.startsWith('$ platform ');
    const answer = isCommand ? await run(filled(line, variables).split(' ').slice(2)) : await answerTo(line.slice(2), address, variables);
    result += answer === undefined ? `${line}\n` : `${line}\n${answer}\n`;
  }
  return result;
}

/** What a shell remembers from one command to the next. */
export type Variables = Map<string, string>;

/** What the command prints: nothing where it keeps an answer in a variable, `TOKEN=$(curl … | sed 's/…/\\1/')`. */
export async function answerTo(command: string, address: string, variables: Variables): Promise<string | undefined> {
  const line = filled(command, variables);
  const [, name, inner = '', pattern = ''] = /^([A-Z]+)=\$\((.*) \| sed 's\/(.*)\/\\1\/'\)$/.exec(line) ?? [];
  if (name === undefined) return answerOf(line, address);
  const answer = await answerOf(inner, address);
  const found = new RegExp(pattern.replaceAll('\\(', '(').replaceAll('\\)', ')')).exec(answer)?.[1];
  if (found === undefined) throw new Error(`${command} finds nothing in ${answer}`);
  variables.set(name, found);
  return undefined;
}

function filled(command: string, variables: Variables): string {
  return command.replace(/\$([A-Z]+)\b/g, (_, name: string) => variables.get(name) ?? '');
}

async function answerOf(command: string, address: string): Promise<string> {
  const call = parseCurl(command);
  const url = call.url.replace(/^(http:\/\/)?localhost:8080/, address);
  const response = await fetch(url, {
    method: call.method,
    // As with `curl`: a connection of an earlier command may have been closed since, where another command ran for seconds.
    headers: { ...call.headers, connection: 'close' },
    ...(call.body === undefined ? {} : { body: call.body }),
  });
  const body = await response.text();
  if (!call.showsHeaders) return body;
  const headers = [...response.headers].filter(([name]) => shownHeaders.includes(name)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${response.status} ${response.statusText}`, ...headers, '', body].join('\n').trimEnd();
}

const shownHeaders = ['content-type', 'etag', 'location', 'link', 'x-total-count', 'allow', 'www-authenticate'];

/** What differs from run to run: identifiers, times, tags, cursors, secrets. */
export function normal(text: string): string {
  return text
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/\b(\d+ ms|\d+\.\d s)\b/g, '<ms>')
    .replace(/\(request [\w-]+\)/g, '(request <id>)')
    .replace(/etag: "[0-9a-z]+"/g, 'etag: <tag>')
    .replace(/@after=[\w-]+/g, '@after=<cursor>')
    .replace(/"(eyJ[\w.-]+|[\w-]{43}|pk_[\w-]{43})"/g, '"<secret>"');
}
