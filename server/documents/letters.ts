import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';

const { resolve } = createRequire(import.meta.url);
/**
 * Covers the letters of all European languages and most others outside East Asia. PDF/A requires the font to be
 * embedded.
 */
export const REGULAR = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf');
export const BOLD = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf');

const opened = new Map<string, Font>();

/** Returns the letters of a text that a font lacks, each once. Throws if the file is not a font. */
export function missingLetters(text: string, font: string = REGULAR): string[] {
  const known = fontAt(font);
  return [...new Set(text.normalize())].filter(
    (letter) => !known.hasGlyphForCodePoint(letter.codePointAt(0)!),
  );
}

function fontAt(path: string): Font {
  const known = opened.get(path);
  if (known) return known;
  const font = create(readFileSync(path));
  if (!('hasGlyphForCodePoint' in font)) throw new Error('it is a collection of fonts');
  opened.set(path, font);
  return font;
}
