import { read } from '../../support/source.ts';

/** Expressions that recheck has proven linear, one per line; `record.ts` writes them. */
export const LINEAR_FILE = 'test/laws/regular-expressions/linear.txt';

export const linear = (): Set<string> => new Set(read(LINEAR_FILE).split('\n').filter(Boolean));
