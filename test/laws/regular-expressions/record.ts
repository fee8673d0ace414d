// Checks new regular expressions and records the linear ones:
//   node test/laws/regular-expressions/record.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../support/source.ts';
import { timeOf } from './check.ts';
import { collect } from './collect.ts';
import { LINEAR_FILE, linear } from './lists.ts';
import { REVIEWED } from './reviewed.ts';

/** Proofs take milliseconds to seconds; an expression that takes longer must be reviewed or simplified. */
const LONGEST_PROOF_MS = 20_000;

const { expressions } = collect();
const known = linear();
const kept: string[] = [];
for (const [expression, paths] of expressions) {
  if (Object.hasOwn(REVIEWED, expression)) continue;
  const time = known.has(expression) ? 'linear' : timeOf(expression, LONGEST_PROOF_MS);
  if (time === 'linear') kept.push(expression);
  else console.log(`${time}: ${expression}  ${[...paths].join(' ')}`);
}
writeFileSync(join(REPOSITORY, LINEAR_FILE), `${kept.sort().join('\n')}\n`);
