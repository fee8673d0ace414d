/**
 * Characters that a reader cannot see, or that change how the surrounding ones look: control characters except line
 * breaks and tabs, bidirectional controls, zero-width characters, blanks other than the ordinary one, characters
 * without a glyph in any font. Includes the brackets themselves, so that no text can imitate a mark.
 */
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27e6\u27e7]|(?! )\p{Zs}/gu;
/** The subset that no prose needs; the others join letters and emoji. */
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

const mark = (character: string) =>
  `\u27e6U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}\u27e7`;

/**
 * Returns a command, or text about it, as it is shown to a person: invisible characters appear as "⟦U+202E⟧".
 * Different texts look different. The command that runs is the original text.
 */
export const visible = (text: string) => text.replace(HIDDEN, mark);

/**
 * Returns a model's text without characters that could rewrite a terminal's screen or reverse the surrounding words.
 */
export const visibleProse = (text: string) => text.replace(CONTROLS, mark);
