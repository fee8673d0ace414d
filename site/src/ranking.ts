/** A line of the index: its title, what kind of thing it is, where it is, and other words for it. */
export type Found = [title: string, kind: string, url: string, words: string];

/** More than fit below the field tell nobody anything. */
const MOST = 12;

/** What has all words of the query, the best first: those in a title before others, the beginning of a word before its middle. */
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

/** 3 for a whole word, 2 for the beginning of one, 1 for a part, 0 for none. */
function match(text: string, word: string): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(word);
  if (at === -1) return 0;
  const parts = lower.split(/[^a-z0-9]+/);
  if (parts.includes(word)) return 3;
  return parts.some((part) => part.startsWith(word)) ? 2 : 1;
}
