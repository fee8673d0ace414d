/** An example of a document: a line that begins with "$ ", and the lines after it. */
export interface Example {
  command: string;
  /** What the document shows; "…" stands for anything. */
  shown: string;
}

/** The console examples of a document, in their order. */
export function examples(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/```console\n(.*?)```/gs)].map((match) => match[1]!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command, ...shown] = part.trimEnd().split('\n');
        return { command: command!, shown: shown.join('\n') };
      }),
  );
}

/** What an output must be to be what is shown. */
export function patternOf(shown: string): RegExp {
  const escaped = shown.split('…').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[\\s\\S]*')}$`);
}

/** Printed after each example, to tell their outputs apart. */
const MARKER = '--- next example ---';

/** One shell for all of them, as a reader has: variables and functions carry over. */
export const scriptOf = (steps: Example[], as: (command: string) => string): string =>
  steps.map(({ command }) => `${as(command)}\necho '${MARKER}'`).join('\n');

/** The outputs of such a script. */
export const outputsOf = (stdout: string): string[] =>
  stdout.split(`${MARKER}\n`).map((output) => output.trimEnd());
