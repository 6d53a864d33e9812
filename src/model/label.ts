// Labels of flow conditions: when two of them are the same to a reader, and so to the matcher.

/** Without case, decoration, closing punctuation, and differences of space, `_` and `-`. */
export function normalizedLabel(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .replace(/^["'`*_]+|["'`*_]+$/g, '')
    .replace(/[.,;:!?]+$/, '')
    .replace(/[\s_-]+/g, ' ')
    .trim()
    .toLowerCase();
}
