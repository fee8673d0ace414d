/** One entry of the search index: its title, its kind, its address, and other words that lead to it. */
export type Found = [title: string, kind: string, url: string, words: string];

/** No one reads more results than fit below the field. */
const MOST = 12;

/**
 * Returns the entries that contain all words of the query, best first: matches in the title come before others, and
 * matches at the beginning of a word before those in its middle.
 */
export function search(index: readonly Found[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return index
    .map((found, at) => ({ found, at, score: scoreOf(found, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MOST)
    .map(({ found }) => found);
}

function scoreOf([title, kind, , more]: Found, words: string[]): number {
  const scores = words.map((word) => Math.max(5 * match(title, word), match(kind, word), match(more, word)));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

/** Returns 3 for a whole word, 2 for the beginning of one, 1 for any other part, 0 for no match. */
function match(text: string, word: string): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(word);
  if (at === -1) return 0;
  const parts = lower.split(/[^a-z0-9]+/);
  if (parts.includes(word)) return 3;
  return parts.some((part) => part.startsWith(word)) ? 2 : 1;
}
