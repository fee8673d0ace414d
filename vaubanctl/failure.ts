/** Why a command did not do what it was asked: lines for people, and what the process ends with. */
export class Failure extends Error {
  override name = 'Failure';
  readonly lines: readonly string[];
  /** 1: the service refused. 2: it cannot be reached. */
  readonly exitCode: 1 | 2;

  constructor(lines: readonly string[], exitCode: 1 | 2) {
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
  }
}
