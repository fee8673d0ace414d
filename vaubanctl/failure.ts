/** A command that failed, with lines to print and an exit code. */
export class Failure extends Error {
  override name = 'Failure';
  readonly lines: readonly string[];
  /** 1: the service refused. 2: the service is unreachable. */
  readonly exitCode: 1 | 2;

  constructor(lines: readonly string[], exitCode: 1 | 2) {
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
  }
}
