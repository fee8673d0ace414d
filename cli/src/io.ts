import type { ReadStream, WriteStream } from 'node:tty';

/** What a command has of the machine that it runs on, so that a test can be one. */
export interface Io {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;
  stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
  /** Aborts when the command is interrupted. */
  signal: AbortSignal;
}
