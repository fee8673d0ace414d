import type ssh2 from 'ssh2';
import type { VmRow } from '../db/queries/vms/vms.ts';
import { type OpsServices, OpsSessionError, openOpsSession } from '../guest-ssh/connect.ts';

/** The terminal type for programs in the guest; xterm.js and every modern terminal understand it. */
const TERM = 'xterm-256color';

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** A login shell in a guest, on a pseudo-terminal. */
export interface Terminal {
  stream: ssh2.ClientChannel;
  resize(size: TerminalSize): void;
}

/**
 * Logs in with the ops key and starts a shell. Throws an {@link OpsSessionError}. The shell ends with `signal`, or
 * when the guest ends it.
 */
export async function openTerminal(
  services: OpsServices,
  vm: VmRow,
  { cols, rows, username, signal }: TerminalSize & { username: string; signal: AbortSignal },
): Promise<Terminal> {
  const client = await openOpsSession(services, vm, signal, username);
  const stream = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
    client.once('close', () => reject(new OpsSessionError('unreachable', `${vm.id} hung up`)));
    client.shell({ cols, rows, term: TERM }, (error, channel) => {
      if (!error) return resolve(channel);
      client.destroy();
      reject(
        new OpsSessionError('refused', `${vm.id} did not open a shell: ${error.message}`, { cause: error }),
      );
    });
  });
  // A pseudo-terminal has a single output. Discard anything that a server sends here, so that it cannot fill the window.
  stream.stderr.resume();
  stream.once('close', () => client.end());
  return { stream, resize: (size) => stream.setWindow(size.rows, size.cols, 0, 0) };
}
