/**
 * Shows text written by others without letting it take effect. All our output uses these functions, and nothing else
 * does the same.
 *
 * UNSAFE matches characters that a terminal obeys or that disguise text: both sets of control characters, and
 * characters without a visible form, such as those that change the direction of text, and letters that appear blank or
 * not at all (\p{DI}), which can hide text. U+FE0F is allowed: it only asks for a coloured emoji. Names, notes and
 * outputs come from others, who must not be able to control the reader's screen.
 */
const UNSAFE = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2028\u2029]/gu;

const escaped = (character: string) => {
  const code = character.codePointAt(0)!.toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
};

/** Returns text as one line, with every unsafe character escaped. */
export const safe = (text: string): string => text.replace(UNSAFE, escaped);

/** Returns text with every unsafe character escaped except line breaks and tabs. */
export const safeLines = (text: string): string =>
  text.replace(UNSAFE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );

const unit = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;

/** Returns JSON that a terminal cannot obey either: the same value, with more of its characters escaped. */
export const safeJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE, (character) =>
    character === '\n'
      ? character
      : [...character.split('').keys()].map((at) => unit(character, at)).join(''),
  );
