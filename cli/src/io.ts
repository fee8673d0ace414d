import type { ReadStream, WriteStream } from 'node:tty';

/** The parts of the environment that a command uses, so that tests can replace them. */
export interface Io {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;
  stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
  /** Aborts when the command is interrupted. */
  signal: AbortSignal;
}
