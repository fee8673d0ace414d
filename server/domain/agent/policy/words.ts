/** A word of a command as the program will see it. */
export interface Word {
  value: string;
  /** The shell replaces the word with the names of matching files, which are not known in advance. */
  glob: boolean;
}

/**
 * The building blocks of a word: plain characters, wildcards, and quoted text in which nothing is special. Variables,
 * substitutions, backslashes, braces, tildes and history are left out on purpose: their result depends on the shell and
 * the machine.
 */
const PIECE = /([A-Za-z0-9_/.,:=@%+-]+)|([*?])|'([^']*)'|"([^"$`\\!]*)"/y;

/** Reads a word as written; undefined if it contains anything else. */
export function readWord(text: string): Word | undefined {
  // One of the shells replaces "=name" with the path of that program.
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
