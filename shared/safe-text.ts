/**
 * Shows text of others without obeying it; every output of ours uses this, and nothing else does the same.
 *
 * Characters that a terminal obeys, or that make text look like another: controls of both kinds, and what has no form of
 * its own, such as what turns the direction of writing, and letters that leave a blank or nothing (\p{DI}), in which text can
 * be hidden. U+FE0F stays: it only asks for an emoji in colour. Names, notes and outputs are written by others, who must not
 * write on the reader's screen.
 */
const UNSAFE = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2028\u2029]/gu;

const escaped = (character: string) => {
  const code = character.codePointAt(0)!.toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
};

/** Text as one line that shows what it holds. */
export const safe = (text: string): string => text.replace(UNSAFE, escaped);

/** The same of lines: breaks and tabs stay. */
export const safeLines = (text: string): string =>
  text.replace(UNSAFE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );

const unit = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;

/** JSON that a terminal cannot obey either: the same value, with more of its characters escaped. */
export const safeJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE, (character) =>
    character === '\n'
      ? character
      : [...character.split('').keys()].map((at) => unit(character, at)).join(''),
  );
