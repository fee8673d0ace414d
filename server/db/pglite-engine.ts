import { Worker } from 'node:worker_threads';
import { messages, type PGlite, protocol } from '@electric-sql/pglite';
import { COMPILE_CACHE } from '../compile-cache.ts';

const { DatabaseError, NotificationResponseMessage } = messages;

/** A message of the engine's, of PostgreSQL's wire protocol. */
export type Answer = Awaited<ReturnType<PGlite['execProtocolStream']>>[number];

/**
 * The embedded engine, on a thread of its own: its work holds up no request, and it opens while the service's own
 * modules are still being read. It has one connection, spoken to in PostgreSQL's wire protocol.
 */
export class PgliteEngine {
  readonly #thread: Worker;
  /** Whoever waits for an answer, in the order of the requests, which is the order of the answers. */
  readonly #waiting: PromiseWithResolvers<Uint8Array>[] = [];
  readonly #parser = new protocol.Parser();
  readonly #gone: Promise<void>;
  #end: Error | undefined;
  /** Called with each notification on a channel that is listened to. */
  onNotification: (channel: string, payload: string) => void = () => {};

  private constructor(directory: string | undefined) {
    this.#thread = new Worker(new URL('pglite-thread.ts', import.meta.url), {
      workerData: directory,
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    });
    this.#thread.on('message', (answer: Uint8Array) => {
      this.#waiting.shift()?.resolve(answer);
      this.#rest();
    });
    this.#thread.on('error', (error) => this.#die(error as Error));
    this.#gone = new Promise((resolve) => {
      this.#thread.on('exit', () => {
        this.#die(new Error('the embedded database is closed'));
        resolve();
      });
    });
  }

  /** Opens the engine on `directory`, which it makes where it is absent; in memory when undefined. */
  static async open(directory: string | undefined): Promise<PgliteEngine> {
    const engine = new PgliteEngine(directory);
    await engine.#answer();
    return engine;
  }

  /**
   * Sends messages in one go, of which the last must be one that the engine answers with ReadyForQuery; its answers,
   * up to that. Throws the engine's error. Several calls are served in their order, without a wait in between.
   */
  async exchange(requests: Uint8Array[]): Promise<Answer[]> {
    if (this.#end) throw this.#end;
    const request = joined(requests);
    this.#thread.postMessage(request, [request.buffer]);
    return this.#read(await this.#answer());
  }

  /** Closes the database and ends the thread; what was sent before is done first. */
  async close(): Promise<void> {
    if (!this.#end) this.#thread.postMessage('close');
    this.#thread.ref();
    await this.#gone;
  }

  #answer(): Promise<Uint8Array> {
    const waiting = Promise.withResolvers<Uint8Array>();
    this.#waiting.push(waiting);
    this.#thread.ref();
    return waiting.promise;
  }

  /** An idle engine keeps no process alive, as an idle connection would not. */
  #rest(): void {
    if (this.#waiting.length === 0) this.#thread.unref();
  }

  #read(bytes: Uint8Array): Answer[] {
    const answers: Answer[] = [];
    let failure: Error | undefined;
    this.#parser.parse(bytes, (message) => {
      if (message instanceof DatabaseError) failure ??= message;
      else if (message instanceof NotificationResponseMessage)
        this.onNotification(message.channel, message.payload);
      else answers.push(message);
    });
    if (failure) throw failure;
    return answers;
  }

  #die(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
  }
}

/** All of them in memory of their own, which can be handed over: a Buffer would share its with others. */
function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
