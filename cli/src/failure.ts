export const EXIT = {
  done: 0,
  refused: 1,
  wronglyCalled: 2,
  unreachable: 3,
  notConfirmed: 4,
  jobFailed: 5,
  interrupted: 130,
} as const;

/** A command that failed, with lines to print and an exit code. */
export class Failure extends Error {
  override name = 'Failure';
  readonly lines: readonly string[];
  readonly exitCode: number;

  constructor(exitCode: number, ...lines: string[]) {
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
  }
}
