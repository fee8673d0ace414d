import type { Shell } from './shell.ts';
import type { Terminal } from './terminal.ts';

/** Number of commands that the arrow keys can recall. */
const MAX_HISTORY = 500;

/** Returns the prompt, such as "debian@web:~$ ". */
function promptOf(shell: Shell): string {
  const { user, cwd, home, system } = shell;
  const place = cwd === home ? '~' : cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  return `${user}@${system.guest.hostname}:${place}${user === 'root' ? '#' : '$'} `;
}

/** Runs commands from a terminal until `exit`, Ctrl-D or the end of the terminal. Returns the exit code. */
export async function interact(shell: Shell, terminal: Terminal, signal: AbortSignal): Promise<number> {
  while (shell.exiting === undefined && !signal.aborted) {
    const line = await terminal.readLine(promptOf(shell), { history: shell.history });
    if (line === undefined) {
      await terminal.print('logout\n');
      break;
    }
    if (line.trim() === '') continue;
    if (shell.history.at(-1) !== line) shell.history.push(line);
    if (shell.history.length > MAX_HISTORY) shell.history.shift();
    await runLine(shell, terminal, line, signal);
  }
  return shell.exiting ?? shell.last;
}

/** Runs one line in the foreground of a terminal. Returns its exit code. */
export async function runLine(
  shell: Shell,
  terminal: Terminal,
  line: string,
  outer: AbortSignal,
): Promise<number> {
  const code = await terminal.foreground(
    (signal) =>
      shell.run(line, { stdin: terminal.stdin(signal), stdout: terminal, stderr: terminal, signal }),
    outer,
  );
  shell.last = code;
  return code;
}

export function greeting({ system }: Shell): string {
  const { name, version, kernel } = system.distribution;
  return (
    `Linux ${system.guest.hostname} ${kernel} #1 SMP PREEMPT_DYNAMIC x86_64\n\n` +
    `${name} ${version}. This machine is simulated: see docs/simulator.md.\n`
  );
}
