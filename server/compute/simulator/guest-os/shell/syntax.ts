/** The grammar that the simulated shell supports. */
export interface Part {
  kind: 'text' | 'variable' | 'command';
  /** The text itself, the variable's name, or the script inside `$( )`. */
  text: string;
  /** Inside quotes: neither split into words nor matched against file names. */
  quoted: boolean;
}

export type Word = Part[];

export interface Redirect {
  fd: 0 | 1 | 2;
  /** 'text' provides a here-document; 'copy' makes the descriptor the same as the one in `to`. */
  how: 'read' | 'write' | 'append' | 'copy' | 'text';
  to: Word;
}

export interface SimpleCommand {
  assignments: { name: string; value: Word }[];
  words: Word[];
  redirects: Redirect[];
}

/** Commands joined by `|`, run only if the result so far is `when`. */
export interface Pipeline {
  when: 'always' | 'success' | 'failure';
  negated: boolean;
  commands: SimpleCommand[];
}

export class SyntaxFault extends Error {
  override name = 'SyntaxFault';
}
