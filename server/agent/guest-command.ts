import { StringDecoder } from 'node:string_decoder';
import type { Client, ClientChannel } from 'ssh2';
import type { Clock } from '../platform/clock.ts';
import { COMMAND_TIMEOUT_MS, KEPT_OUTPUT, OUTPUT_BYTES } from './limits.ts';
import { whenAborted } from './signals.ts';

export type OutputStream = 'stdout' | 'stderr';

/** Receives a piece of a command's output; `truncated` if the rest is dropped. */
export type OnOutput = (stream: OutputStream, text: string, truncated: boolean) => void;

export interface CommandResult {
  /** Null if there is none: a signal, we, or the loss of the connection ended it. */
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  /** Standard output and error in order of arrival, shortened in the middle. */
  output: string;
}

export interface GuestCommand {
  command: string;
  clock: Clock;
  /** Ends the command at once. */
  signal: AbortSignal;
  onOutput: OnOutput;
}

/**
 * Runs a command on the guest until it ends, times out or `signal` aborts. Rejects only if it could not be started.
 * Output beyond the cap is read and dropped, so that the command is not blocked.
 */
export async function runOnGuest(
  client: Client,
  { command, clock, signal, onOutput }: GuestCommand,
): Promise<CommandResult> {
  const began = clock.now().getTime();
  const over = new AbortController();
  const late = new AbortController();
  const deadline = clock.sleep(COMMAND_TIMEOUT_MS, over.signal).then(
    () => late.abort(new Error('the guest did not start the command in time')),
    () => {},
  );
  const until = AbortSignal.any([signal, late.signal]);
  const output = new CappedOutput(onOutput);
  try {
    const exitCode = await execute(client, command, output, until).catch((error) => {
      if (late.signal.aborted) return null;
      throw error;
    });
    const timedOut = late.signal.aborted && exitCode === null;
    return { exitCode, timedOut, durationMs: clock.now().getTime() - began, output: output.kept() };
  } finally {
    over.abort();
    await deadline;
  }
}

/** Returns the exit status; null if there is none, or if `until` aborts first, which ends the command. */
function execute(
  client: Client,
  command: string,
  output: CappedOutput,
  until: AbortSignal,
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      reject(until.aborted ? until.reason : new Error('the connection to the guest was lost'));
    const forget = () => {
      until.removeEventListener('abort', giveUp);
      client.off('close', giveUp);
    };
    if (until.aborted) return giveUp();
    until.addEventListener('abort', giveUp, { once: true });
    client.once('close', giveUp);
    try {
      client.exec(command, (error, channel) => {
        forget();
        // The exit status may arrive with the confirmation, so its reader must be attached at once.
        if (error) reject(error);
        else readToEnd(client, channel, output, until).then(resolve, reject);
      });
    } catch (error) {
      forget();
      reject(error);
    }
  });
}

async function readToEnd(
  client: Client,
  channel: ClientChannel,
  output: CappedOutput,
  until: AbortSignal,
): Promise<number | null> {
  const closed = new AbortController();
  let exitCode: number | null = null;
  let exited = false;
  channel.on('exit', (code: number | null) => {
    exited = true;
    exitCode = typeof code === 'number' ? code : null;
  });
  channel.once('close', () => closed.abort());
  client.once('close', () => closed.abort());
  channel.on('data', (chunk: Buffer) => output.take('stdout', chunk));
  channel.stderr.on('data', (chunk: Buffer) => output.take('stderr', chunk));
  channel.on('error', () => {});
  // The command gets no input; if it reads any, it gets end-of-file.
  channel.end();
  await whenAborted(closed.signal, until);
  if (!exited) stop(channel);
  output.end();
  return exitCode;
}

/** Asks the guest to end the command, and releases its channel. */
function stop(channel: ClientChannel): void {
  try {
    channel.signal('TERM');
    channel.close();
  } catch {
    // The connection is already gone, and with it the command's input and output.
  }
}

/** Makes text acceptable to the database, which refuses NUL. */
const clean = (text: string) => text.replaceAll('\0', '\ufffd');

class CappedOutput {
  readonly #onOutput: OnOutput;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  #bytes = 0;
  #text = '';
  #ended = false;
  #truncated = false;

  constructor(onOutput: OnOutput) {
    this.#onOutput = onOutput;
  }

  take(stream: OutputStream, chunk: Buffer): void {
    if (this.#ended || this.#truncated) return;
    const room = OUTPUT_BYTES - this.#bytes;
    this.#truncated = chunk.length > room;
    const part = chunk.subarray(0, room);
    this.#bytes += part.length;
    this.#emit(stream, clean(this.#decoders[stream].write(part)), this.#truncated);
  }

  /** Emits what remains of incomplete characters. */
  end(): void {
    if (!this.#truncated)
      for (const stream of ['stdout', 'stderr'] as const)
        this.#emit(stream, this.#decoders[stream].end(), false);
    this.#ended = true;
  }

  #emit(stream: OutputStream, text: string, truncated: boolean): void {
    if (text === '' && !truncated) return;
    this.#text += text;
    this.#onOutput(stream, text, truncated);
  }

  /** Returns the beginning and the end of the output, which are the most informative parts. */
  kept(): string {
    if (this.#text.length <= KEPT_OUTPUT) return this.#text;
    const head = this.#text.slice(0, (KEPT_OUTPUT * 3) / 4).toWellFormed();
    const tail = this.#text.slice(-KEPT_OUTPUT / 4).toWellFormed();
    return `${head}\n[… ${this.#text.length - KEPT_OUTPUT} characters omitted …]\n${tail}`;
  }
}
