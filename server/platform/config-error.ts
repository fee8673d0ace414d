/**
 * What an operator gave us is wrong. `problems` names every fault with its place and its reason, so that one
 * start is enough to see them all; there is no stack worth showing.
 */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
