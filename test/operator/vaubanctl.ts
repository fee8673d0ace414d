import { type ExecFileException, execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../..');
export const PROGRAM = join(REPOSITORY, 'vaubanctl/bin/vaubanctl.js');

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command as a separate process in a directory outside the project. */
export function vaubanctl(dataDir: string, ...args: string[]): Promise<Run> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, VAUBAN_DATA_DIR: dataDir };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, ...args],
      { cwd: '/', env },
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    // Standard input is empty.
    child.stdin!.end();
  });
}
