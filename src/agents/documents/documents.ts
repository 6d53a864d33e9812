// Documents of a model: read at start, kept as passages with an index of their words, and searched for what a message is about.

import type { Engine } from '../../engine/engine.ts';
import { OwnTable } from '../../engine/own-table.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import type { Agent, Model, ModelDocument } from '../../model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Reader } from '../../store/store.ts';
import { digestOf, passagesOf } from './passages.ts';
import { bestOf, type Passage, questionWords } from './ranking.ts';

export interface DocumentsParts {
  /** Throws where there is no text. */
  read(document: ModelDocument): Promise<string>;
  /** A document that could not be read: agents go on with what is kept of it. */
  unreadable(document: ModelDocument, thrown: unknown): void;
}

/** Brings what is kept up to date with the files: what has not changed is left as it is. */
export async function keepDocuments(engine: Engine, { read, unreadable }: DocumentsParts): Promise<void> {
  await engine.asSystem(async (context) => {
    const { plan, store } = context;
    const tables = tablesOf(plan);
    const { documents } = plan.model;
    const kept = new Map((await store.read((tx) => tables.documents.all(tx, {}))).map((row) => [String(row['title']), row['digest']]));
    for (const title of kept.keys()) if (!documents.has(title)) await writeAsSystem(context, ({ tx }) => removed(title, tx, tables));
    for (const document of documents.values()) {
      const text = await read(document).catch((thrown: unknown) => unreadable(document, thrown));
      if (text === undefined) continue;
      const { title } = document;
      const digest = digestOf(text);
      if (kept.get(title) === digest) continue;
      await writeAsSystem(context, async ({ tx }) => {
        await removed(title, tx, tables);
        for (const [no, passage] of passagesOf(text).entries()) await tables.passages.insert(tx, { document: title, no, text: passage });
        await tables.documents.insert(tx, { title, digest });
      });
    }
  });
}

interface Tables {
  readonly documents: OwnTable;
  readonly passages: OwnTable;
}

function tablesOf({ agents }: Plan): Tables {
  if (agents === undefined) throw new Error('the model was linked without runs of agents');
  return { documents: new OwnTable(agents.documents), passages: new OwnTable(agents.passages) };
}

async function removed(title: string, tx: Parameters<OwnTable['remove']>[0], { documents, passages }: Tables): Promise<void> {
  await passages.remove(tx, { document: title });
  await documents.remove(tx, { title });
}

/** By their titles. */
export function documentsOf({ name, settings }: Agent, { documents }: Model): readonly string[] {
  const named = Array.isArray(settings['documents']) ? settings['documents'].map(String) : [];
  const owned = [...documents.values()].flatMap((each) => (each.agents.includes(name) ? [each.title] : []));
  return [...new Set([...named, ...owned])];
}

/** So many passages of each word are looked at; a word that more of them have tells them apart badly anyway. */
const mostCandidates = 50;

/** The passages that answer a message best, the best first. */
export async function findPassages(titles: readonly string[], message: string, plan: Plan, tx: Reader): Promise<readonly Passage[]> {
  const { passages } = tablesOf(plan);
  const candidates = new Map<string, Passage>();
  const words = questionWords(message);
  for (const word of words) {
    const rows = await passages.search(tx, word, { column: 'document', values: titles, order: 'no', limit: mostCandidates });
    for (const { document, no, text } of rows)
      candidates.set(`${no} ${document}`, { document: String(document), no: Number(no), text: String(text) });
  }
  return bestOf([...candidates.values()], words);
}
