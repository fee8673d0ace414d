/**
 * Characters that a reader does not see, or that change how those around them are seen: control characters but
 * line breaks and tabs, what turns the direction of writing, what has no width, blanks that are not the one
 * blank, what no font has. The brackets stand for themselves too, so that no text can pretend to have been marked.
 */
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27e6\u27e7]|(?! )\p{Zs}/gu;
/** Those of them that no prose needs: others join letters and pictures. */
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

const mark = (character: string) =>
  `\u27e6U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}\u27e7`;

/**
 * A command, or what is said of it, as a person is shown it: what cannot be seen stands as "⟦U+202E⟧". Different
 * texts are shown differently. What is run is the text itself.
 */
export const visible = (text: string) => text.replace(HIDDEN, mark);

/** What a model says, without what could rewrite a terminal's screen or turn the words around it. */
export const visibleProse = (text: string) => text.replace(CONTROLS, mark);
