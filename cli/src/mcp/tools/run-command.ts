import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { EXIT, Failure } from '../../failure.ts';
import { sshTo } from '../../open-ssh.ts';
import { bounded } from '../answers.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

/** The limit for each stream; output beyond it is discarded. */
const MOST_BYTES = 1_048_576;

const COMMAND = {
  command: {
    type: 'string',
    minLength: 1,
    maxLength: 8192,
    description: 'The command for the shell of the VM',
  },
  timeout_seconds: {
    type: 'integer',
    minimum: 1,
    maximum: 300,
    description: 'Defaults to 30',
    optional: true,
  },
};

export const runCommand: Tool = {
  name: 'run_command',
  title: 'Run a command on a VM',
  description:
    "Runs a command on a VM with the user's own ssh, as the default user of its image, and returns its output and exit status.",
  scopes: ['vm:console', 'vm:read', 'catalog:read'],
  power: 'command',
  isDestructive: true,
  input: inputOf({ ...VM, ...COMMAND }),
  async call({ session, ssh, signal }, { vm, command, timeout_seconds: seconds = 30 }) {
    // `sshTo` accepts "user@name", but an assistant must not choose a user such as root.
    if ((vm as string).includes('@'))
      throw new Failure(
        EXIT.wronglyCalled,
        'Name the VM without a user: commands always run as the default user of its image.',
      );
    const option = ['BatchMode=yes', 'StrictHostKeyChecking=accept-new', ...(ssh.option ?? [])];
    const args = await sshTo(session, vm as string, { ...ssh, option });
    const limit = AbortSignal.timeout((seconds as number) * 1000);
    const child = spawn('ssh', [...args, command as string], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: session.io.env as NodeJS.ProcessEnv,
      signal: AbortSignal.any([signal, session.io.signal, limit]),
    });
    const failed = new Promise<void>((resolve, reject) => {
      child.once('error', (error) => {
        if (error.name === 'AbortError') resolve();
        else reject(new Failure(EXIT.wronglyCalled, `ssh cannot be started: ${error.message}`));
      });
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (chunk: string) => {
        if (output[name].length < MOST_BYTES) output[name] += chunk;
      });
    }
    await Promise.race([once(child, 'close'), failed]);
    signal.throwIfAborted();
    return {
      ...(limit.aborted && { said: `It was stopped after ${seconds} seconds.` }),
      data: {
        exit_status: child.exitCode,
        stdout: bounded(output.stdout),
        stderr: bounded(output.stderr, 4000),
      },
    };
  },
};
