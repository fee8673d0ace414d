const UNRELEASED = '## Unreleased';

/** Moves the lines under "Unreleased" to `heading` below it. Throws if there are none. */
export function releaseChangelog(changelog: string, heading: string): string {
  const { before, notes, after } = around(changelog, UNRELEASED);
  if (!hasLines(notes)) throw new Error('CHANGELOG.md has nothing under "Unreleased".');
  return `${[before + UNRELEASED, heading, notes, after].filter(Boolean).join('\n\n').trimEnd()}\n`;
}

export function notesUnder(changelog: string, heading: string): string {
  return around(changelog, heading).notes;
}

/** Splits a changelog around the lines under a heading. */
function around(changelog: string, heading: string): { before: string; notes: string; after: string } {
  const start = `\n${changelog}`.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no heading "${heading}".`);
  const rest = changelog.slice(start + heading.length);
  const next = rest.search(/^## /m);
  const end = next < 0 ? rest.length : next;
  return { before: changelog.slice(0, start), notes: rest.slice(0, end).trim(), after: rest.slice(end) };
}

/** Returns whether there are lines other than headings. */
const hasLines = (notes: string) => notes.split('\n').some((line) => line.trim() && !line.startsWith('#'));
