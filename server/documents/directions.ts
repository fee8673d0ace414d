import bidiFactory, { type Bidi } from 'bidi-js';

/** A part of a line whose letters all have the same direction. */
export interface Run {
  /**
   * In visual order from left to right, except that the letters of a right-to-left script are still in reading order.
   */
  text: string;
  isRightToLeft: boolean;
}

/** Hebrew, Arabic, Syriac, Thaana and N'Ko, and the forms of Hebrew and Arabic letters that have their own codes. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

// Its types describe another kind of module than the one that Node loads.
const openAlgorithm = bidiFactory as unknown as () => Bidi;
let algorithm: Bidi | undefined;

/** Returns whether a line needs {@link runsOf}; most lines do not. */
export const hasRightToLeft = (line: string): boolean => FROM_THE_RIGHT.test(line);

/**
 * Splits a line into runs by the Unicode Bidirectional Algorithm, in visual order from left to right. The letters of a
 * right-to-left run are not reversed: the font's shaping does that, and it joins Arabic letters according to their
 * order.
 */
export function runsOf(line: string): Run[] {
  algorithm ??= openAlgorithm();
  const { levels } = algorithm.getEmbeddingLevels(line, 'auto');
  const runs: { text: string; level: number }[] = [];
  for (let index = 0; index < line.length; index++) {
    const level = levels[index]!;
    const letter = line[index]!;
    const shown = level % 2 === 1 ? (algorithm.getMirroredCharacter(letter) ?? letter) : letter;
    const last = runs.at(-1);
    if (last?.level === level) last.text += shown;
    else runs.push({ text: shown, level });
  }
  return ordered(runs).map(({ text, level }) =>
    // Spaces and signs on their own belong to no script, so the shaping would not reverse them.
    level % 2 === 1 && !hasRightToLeft(text)
      ? { text: [...text].reverse().join(''), isRightToLeft: false }
      : { text, isRightToLeft: level % 2 === 1 },
  );
}

/** Rule L2: from the highest level down to the lowest odd one, reverses every sequence at that level or above. */
function ordered<Part extends { level: number }>(parts: readonly Part[]): Part[] {
  const turned = [...parts];
  const highest = Math.max(0, ...parts.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < turned.length; start++) {
      let end = start;
      while (end < turned.length && turned[end]!.level >= level) end++;
      if (end > start) turned.splice(start, end - start, ...turned.slice(start, end).reverse());
      start = end;
    }
  }
  return turned;
}
