import type { Piece } from './split.ts';

export interface Pattern {
  pattern: RegExp;
  /** What to write instead. */
  instead: string;
  kinds?: Piece['kind'][];
}

/**
 * The ten most frequent mistakes that a pattern can tell from correct English; docs/style.md has all of them. Do not
 * add one that also matches correct sentences: a writer would have to work around it.
 */
export const PATTERNS: Pattern[] = [
  {
    pattern: /^(?:[Ww]hat|[Ww]hose|Of (?!the \d))(?=[ `])(?![^.]*\?)/,
    instead: 'begin with the noun or with a verb ("The amount that…", "Returns…"), or delete the comment',
    kinds: ['comment', 'document', 'title'],
  },
  {
    pattern: /\b(?:from|of|with|by|than) what (?:is|was|has|had|it|they|comes|came|stands|can|may)\b/,
    instead: 'use a noun: "the unpaid amount", not "what is unpaid"',
  },
  {
    pattern: /\b(?:[Nn]ull|[Nn]one|[Ee]mpty|[Uu]ndefined|[Tt]rue|[Ff]alse|[Aa]bsent|0) where\b/,
    instead: '"if" instead of "where"',
  },
  {
    pattern: /\bany more\b(?=[.,;:)]|$)|\bnot [^.;:]{1,60} any more\b(?! than)/,
    instead: '"no longer"',
  },
  {
    pattern: /\bby (?:itself|themselves)\b|\bof its own accord\b/,
    instead: '"automatically", or "separately"',
  },
  {
    pattern: /\b(?:goes|went|gone) on\b|\bgo on (?:to|with|until|after|where)\b/,
    instead: '"continues", or "is ongoing"',
  },
  { pattern: /\b[Bb]eside\b/, instead: '"next to", "alongside", "in addition to"' },
  { pattern: /\banew\b|\balike\b/, instead: '"again", or "both … and …"' },
  {
    pattern: /\bat the (?:most|least)\b|\bcomes? about\b|\bis lacking\b|\bare lacking\b/,
    instead: '"at most", "at least", "is established", "is short"',
  },
  {
    pattern: /\b[Ww]hoever\b|\bbefall|\blets? go of\b|\b(?:tells?|told) of\b/,
    instead: '"anyone who", "happen to", "release", "report" or "notify of"',
  },
];
