/** What a process ends with. */
export const EXIT = {
  done: 0,
  refused: 1,
  wronglyCalled: 2,
  unreachable: 3,
  notConfirmed: 4,
  jobFailed: 5,
  interrupted: 130,
} as const;

/** Why a command did not do what it was asked: lines for people, and what the process ends with. */
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
