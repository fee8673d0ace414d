/** A word of a command as the program will see it. */
export interface Word {
  value: string;
  /** The shell replaces it by the names of files that match, which are not known beforehand. */
  glob: boolean;
}

/**
 * What a word may be made of: plain characters, wildcards, text in quotes in which nothing is special. Variables,
 * substitutions, backslashes, braces, tildes and history are left out on purpose: what they become depends on
 * the shell and on the machine.
 */
const PIECE = /([A-Za-z0-9_/.,:=@%+-]+)|([*?])|'([^']*)'|"([^"$`\\!]*)"/y;

/** Reads a word as it is written; undefined where it is made of anything else. */
export function readWord(text: string): Word | undefined {
  // In one of the shells "=name" is where that program lies.
  if (text === '' || text.startsWith('=')) return undefined;
  let value = '';
  let glob = false;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const piece = PIECE.exec(text);
    if (!piece) return undefined;
    glob ||= piece[2] !== undefined;
    value += piece[1] ?? piece[2] ?? piece[3] ?? piece[4];
  }
  return { value, glob };
}
