import { StringDecoder } from 'node:string_decoder';
import type { Client, ClientChannel } from 'ssh2';
import type { Clock } from '../platform/clock.ts';
import { COMMAND_TIMEOUT_MS, KEPT_OUTPUT, OUTPUT_BYTES } from './limits.ts';
import { whenAborted } from './signals.ts';

export type OutputStream = 'stdout' | 'stderr';

/** A piece of what a command wrote; `truncated` when the rest is dropped. */
export type OnOutput = (stream: OutputStream, text: string, truncated: boolean) => void;

/** How a command ended. */
export interface CommandResult {
  /** Null where there is none: it was ended by a signal, by us, or with the connection. */
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  /** Standard output and error together, as they came, shortened in the middle. */
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
 * Runs a command on the guest to its end, its time-out or `signal`, whichever is first. Rejects only where it
 * could not be started. What it writes beyond the cap is read and dropped, so that it goes on.
 */
export async function runOnGuest(
  client: Client,
  { command, clock, signal, onOutput }: GuestCommand,
): Promise<CommandResult> {
  const began = clock.now().getTime();
  const channel = await open(client, command, signal);
  const output = new CappedOutput(onOutput);
  const over = new AbortController();
  let exitCode: number | null = null;
  let timedOut = false;
  const ended = new Promise<void>((resolve) => {
    channel.on('exit', (code: number | null) => {
      exitCode = typeof code === 'number' ? code : null;
    });
    channel.once('close', () => resolve());
    client.once('close', () => resolve());
  });
  channel.on('data', (chunk: Buffer) => output.take('stdout', chunk));
  channel.stderr.on('data', (chunk: Buffer) => output.take('stderr', chunk));
  channel.on('error', () => {});
  // It gets no input: a command that asks for some is told that there is none.
  channel.end();
  const deadline = clock.sleep(COMMAND_TIMEOUT_MS, over.signal).then(
    () => {
      timedOut = true;
    },
    () => {},
  );
  await Promise.race([ended, deadline, whenAborted(signal, over.signal)]);
  over.abort();
  if (exitCode === null) stop(channel);
  output.end();
  return {
    exitCode: timedOut ? null : exitCode,
    timedOut,
    durationMs: clock.now().getTime() - began,
    output: output.kept(),
  };
}

function open(client: Client, command: string, signal: AbortSignal): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(signal.aborted ? signal.reason : new Error('the connection to the guest was lost'));
    if (signal.aborted) return fail();
    signal.addEventListener('abort', fail, { once: true });
    client.once('close', fail);
    try {
      client.exec(command, (error, channel) => {
        signal.removeEventListener('abort', fail);
        client.off('close', fail);
        if (error) reject(error);
        else if (signal.aborted) {
          stop(channel);
          reject(signal.reason);
        } else resolve(channel);
      });
    } catch (error) {
      reject(error);
    }
  });
}

/** Asks the guest to end the command, and lets go of it. */
function stop(channel: ClientChannel): void {
  try {
    channel.signal('TERM');
    channel.close();
  } catch {
    // The connection is gone already, and the command's input and output with it.
  }
}

/** Text that the database takes: it refuses NUL. */
const clean = (text: string) => text.replaceAll('\0', '\ufffd');

class CappedOutput {
  readonly #onOutput: OnOutput;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  #bytes = 0;
  #text = '';
  #ended = false;

  constructor(onOutput: OnOutput) {
    this.#onOutput = onOutput;
  }

  take(stream: OutputStream, chunk: Buffer): void {
    const room = OUTPUT_BYTES - this.#bytes;
    if (this.#ended || room <= 0) return;
    const truncated = chunk.length > room;
    const part = truncated ? chunk.subarray(0, room) : chunk;
    // One byte more than there is room for has been seen: the cap is used up.
    this.#bytes += truncated ? room + 1 : part.length;
    this.#emit(stream, clean(this.#decoders[stream].write(part)), truncated);
  }

  /** Hands out what is left of characters that were cut. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const)
      this.#emit(stream, this.#decoders[stream].end(), false);
    this.#ended = true;
  }

  #emit(stream: OutputStream, text: string, truncated: boolean): void {
    if (text === '' && !truncated) return;
    this.#text += text;
    this.#onOutput(stream, text, truncated);
  }

  /** The beginning and the end, which tell most. */
  kept(): string {
    if (this.#text.length <= KEPT_OUTPUT) return this.#text;
    const head = this.#text.slice(0, (KEPT_OUTPUT * 3) / 4).toWellFormed();
    const tail = this.#text.slice(-KEPT_OUTPUT / 4).toWellFormed();
    return `${head}\n[… ${this.#text.length - KEPT_OUTPUT} characters left out …]\n${tail}`;
  }
}
