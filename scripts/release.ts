// Makes a release on this machine: npm run release -- major|minor|patch [--dry-run]. See docs/releases.md.
import { parseArgs } from 'node:util';
import { Release, type Step } from './release/release.ts';
import { KINDS, type Kind } from './release/versions.ts';

const USAGE = `usage: npm run release -- ${KINDS.join('|')} [--dry-run]`;

/** Prints all reasons to refuse, the steps, and the heading. */
function rehearse(release: Release): void {
  for (const problem of release.problems()) console.log(`would refuse: ${problem}`);
  for (const { name } of release.steps) console.log(`would do: ${name}`);
  console.log(`\n${release.heading}`);
}

function run(steps: readonly Step[]): void {
  for (const { name, run } of steps) {
    console.log(`${name} …`);
    run();
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' } },
  });
  const [kind] = positionals as Kind[];
  if (positionals.length !== 1 || !KINDS.includes(kind!)) throw new Error(USAGE);
  // npm runs scripts in the root of the repository.
  const release = new Release(process.cwd(), kind!, new Date());
  if (values['dry-run']) rehearse(release);
  else {
    const problems = release.problems();
    if (problems.length > 0) throw new Error(problems.join('\n'));
    run(release.steps);
    console.log(`Released ${release.tag}. Publish it with: git push --follow-tags`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
