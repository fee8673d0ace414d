import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Resolves when a process says in its log that it listens; rejects with what it said when it ends before. */
export async function untilListening(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  let log = '';
  // Read to the end: an unread log would stop it.
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => {
      log += chunk;
      if (log.includes('"listening"')) resolve();
    });
    ended.then(() => reject(new Error(`it did not start: ${log}`)));
  });
}
