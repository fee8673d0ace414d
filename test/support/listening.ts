import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Resolves when a process logs that it is listening; rejects with its output if it ends first. */
export async function untilListening(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  let log = '';
  // Keep reading: a full pipe would block the process.
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => {
      log += chunk;
      if (log.includes('"listening"')) resolve();
    });
    ended.then(() => reject(new Error(`it did not start: ${log}`)));
  });
}
