/** An example in a document: a line that begins with "$ ", and the lines after it. */
export interface Example {
  command: string;
  /** The output in the document; "…" stands for anything. */
  shown: string;
}

/** Returns the console examples of a document, in order. */
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

/** Returns a pattern for an output that matches the documented one. */
export function patternOf(shown: string): RegExp {
  const escaped = shown.split('…').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[\\s\\S]*')}$`);
}

/** Printed after each example, to separate their outputs. */
const MARKER = '--- next example ---';

/** Returns a script that runs all of them in one shell, as a reader does: variables and functions carry over. */
export const scriptOf = (steps: Example[], as: (command: string) => string): string =>
  steps.map(({ command }) => `${as(command)}\necho '${MARKER}'`).join('\n');

/** Splits the output of such a script by example. */
export const outputsOf = (stdout: string): string[] =>
  stdout.split(`${MARKER}\n`).map((output) => output.trimEnd());
