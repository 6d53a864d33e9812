// Which passages answer a message best: by how rare the words are that both have, and how often they stand there.

import { wordsOf } from '../../values/words.ts';

export interface Passage {
  /** Its title. */
  readonly document: string;
  readonly no: number;
  readonly text: string;
}

/** What a model is shown: nothing that answers so much worse than the best. */
const shown = { passages: 5, characters: 8000, share: 0.25 } as const;
const mostWords = 24;

/** The words of a message that passages are asked for, the longest first: short ones are in every passage. */
export function questionWords(message: string): readonly string[] {
  const words = [...new Set(wordsOf(message))].filter((each) => each.length > 1);
  return words.toSorted((a, b) => b.length - a.length).slice(0, mostWords);
}

export function bestOf(candidates: readonly Passage[], words: readonly string[]): readonly Passage[] {
  const counted = candidates.map((passage) => ({ passage, counts: countsOf(passage.text, words) }));
  const weights = words.map((_, at) => {
    const holding = counted.filter(({ counts }) => (counts[at] ?? 0) > 0).length;
    return Math.log(1 + (candidates.length - holding + 0.5) / (holding + 0.5));
  });
  const scored = counted.map(({ passage, counts }) => {
    const score = counts.reduce((sum, count, at) => sum + ((weights[at] ?? 0) * count) / (count + 1.2), 0);
    return { passage, score };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  let room: number = shown.characters;
  return scored
    .filter(({ score }) => score >= best * shown.share)
    .toSorted((a, b) => b.score - a.score || a.passage.document.localeCompare(b.passage.document) || a.passage.no - b.passage.no)
    .slice(0, shown.passages)
    .flatMap(({ passage }) => {
      room -= passage.text.length;
      return room < 0 ? [] : [passage];
    });
}

function countsOf(text: string, words: readonly string[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const each of wordsOf(text)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return words.map((each) => counts.get(each) ?? 0);
}
