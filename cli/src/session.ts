import { createInterface } from 'node:readline/promises';
import { type Client, type ClientOptions, createClient, type Job, type Vm } from '../../sdk/src/index.ts';
import { safe } from '../../shared/safe-text.ts';
import type { Question } from './command.ts';
import { contextFor } from './contexts.ts';
import { EXIT, Failure } from './failure.ts';
import { lightFetch } from './fetch.ts';
import type { Io } from './io.ts';
import { type Format, Printer } from './output/printer.ts';

export interface GlobalOptions {
  context?: string;
  output?: Format;
}

/** Options of commands that ask for confirmation or start a job. */
export interface DeedOptions {
  yes?: boolean;
  wait?: boolean;
  waitTimeout?: number;
}

/** One run of a command, with its client and its printer. */
export class Session {
  readonly io: Io;
  readonly printer: Printer;
  readonly #options: GlobalOptions;
  #client: Client | undefined;

  constructor(io: Io, options: GlobalOptions) {
    this.io = io;
    this.#options = options;
    this.printer = new Printer(io, options.output ?? 'table');
  }

  /** The context given by option, for commands that start this program again. */
  get context(): string | undefined {
    return this.#options.context;
  }

  /** Created on first use: a command without requests needs no key. */
  get client(): Client {
    this.#client ??= this.newClient();
    return this.#client;
  }

  newClient(more: Partial<ClientOptions> = {}): Client {
    const { url, key } = contextFor(this.io.env, this.#options.context);
    return createClient({ baseUrl: url, apiKey: key, fetch: lightFetch, ...more });
  }

  /** Prints a line that is not part of the result, on standard error. */
  note(line: string): void {
    this.io.stderr.write(`${safe(line)}\n`);
  }

  /** Asks for confirmation. `--yes` answers in advance; without a terminal the command is refused. */
  async confirm({ lines, ask }: Question): Promise<void> {
    for (const line of lines) this.note(line);
    if (!this.io.stdin.isTTY)
      throw new Failure(
        EXIT.notConfirmed,
        `${safe(ask)} There is no terminal to ask for confirmation. Repeat the command with --yes.`,
      );
    const answer = await this.ask(`${safe(ask)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(EXIT.notConfirmed, 'Nothing was done.');
  }

  async ask(question: string): Promise<string> {
    const terminal = createInterface({ input: this.io.stdin, output: this.io.stderr });
    // End of input counts as no.
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    try {
      return await Promise.race([terminal.question(question, { signal: this.io.signal }), ended]);
    } finally {
      terminal.close();
    }
  }

  /**
   * Waits for the end of a job; at a terminal it shows the progress. Returns the VM, or undefined if it no longer
   * exists.
   */
  async waitFor(job: Job, { waitTimeout }: DeedOptions): Promise<Vm | undefined> {
    const { stderr, signal } = this.io;
    const isSeen = stderr.isTTY === true;
    const limit = waitTimeout === undefined ? [] : [AbortSignal.timeout(waitTimeout * 1000)];
    const onProgress = ({ kind, status, progress }: Job) =>
      stderr.write(`\r\x1b[K${safe(`${kind.replaceAll('_', ' ')}: ${status}, ${progress} %`)}`);
    try {
      return await this.client.waitForJob(job, {
        signal: AbortSignal.any([signal, ...limit]),
        ...(isSeen && { onProgress }),
      });
    } catch (error) {
      if (!limit[0]?.aborted || signal.aborted) throw error;
      throw new Failure(EXIT.unreachable, `The job ${job.id} is still running after ${waitTimeout} s.`);
    } finally {
      if (isSeen) stderr.write('\r\x1b[K');
    }
  }
}
