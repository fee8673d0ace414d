import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { isInstalled } from './installed.ts';
import { SetupError, step } from './step.ts';

/** Maximum length of a failed program's output in an error message. */
const MAX_WORDS = 4096;

/**
 * Runs a program as root, using sudo if this process is not root; throws {@link SetupError} with the program's output.
 */
export async function asRoot(...command: string[]): Promise<string> {
  const root = process.getuid?.() === 0;
  if (!root && !isInstalled('sudo')) throw new SetupError(`run this as root: ${command.join(' ')}`);
  const [program, ...args] = root ? command : ['sudo', ...command];
  // sudo asks for a password on the terminal itself.
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode === 0) return output;
  throw new SetupError(`${command.join(' ')} failed:\n${(output + errors).trim().slice(-MAX_WORDS)}`);
}

export const updateLists = () => step('apt-get update', () => asRoot('apt-get', 'update', '-qq'));

/** Installs the missing ones of `needed`: programs, each with the name of its Debian package. */
export async function install(needed: Record<string, string>): Promise<void> {
  const missing = () => Object.entries(needed).filter(([program]) => !isInstalled(program));
  const packages = [...new Set(missing().map(([, name]) => name))];
  if (packages.length > 0) {
    await updateLists();
    const command = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages];
    await step(`apt-get install ${packages.join(' ')}`, () =>
      asRoot('env', 'DEBIAN_FRONTEND=noninteractive', ...command),
    );
  }
  const still = missing().map(([program, name]) => `${program} (package ${name})`);
  if (still.length > 0) throw new SetupError(`not there after the installation: ${still.join(', ')}`);
}
