const UNRELEASED = '## Unreleased';

/**
 * The changelog with the lines under "Unreleased" moved to `heading` below it, and "Unreleased" empty. Throws if there
 * is nothing to release.
 */
export function releaseChangelog(changelog: string, heading: string): string {
  const { before, notes, after } = around(changelog, UNRELEASED);
  if (!hasLines(notes)) throw new Error('CHANGELOG.md has nothing under "Unreleased".');
  return `${[before + UNRELEASED, heading, notes, after].filter(Boolean).join('\n\n').trimEnd()}\n`;
}

/** The lines that a changelog has under a heading. */
export function notesUnder(changelog: string, heading: string): string {
  return around(changelog, heading).notes;
}

/** The parts of a changelog around the lines under a heading. */
function around(changelog: string, heading: string): { before: string; notes: string; after: string } {
  const start = `\n${changelog}`.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no heading "${heading}".`);
  const rest = changelog.slice(start + heading.length);
  const next = rest.search(/^## /m);
  const end = next < 0 ? rest.length : next;
  return { before: changelog.slice(0, start), notes: rest.slice(0, end).trim(), after: rest.slice(end) };
}

/** Whether there is more than headings. */
const hasLines = (notes: string) => notes.split('\n').some((line) => line.trim() && !line.startsWith('#'));
