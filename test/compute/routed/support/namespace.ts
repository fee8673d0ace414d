import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { defer, type Lifetime } from '../../../support/cleanup.ts';
import type { Arrival, Request } from './agent-protocol.ts';

const AGENT = join(import.meta.dirname, 'agent.ts');
let made = 0;

export async function run(program: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { maxBuffer: 2 ** 26 })).stdout;
}

/** A network namespace for the test, with a process in it. It does not touch the machine's own network. */
export class Namespace {
  readonly name: string;
  readonly #arrivals: Arrival[] = [];
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #watchers: (() => void)[] = [];
  #process: ChildProcess | undefined;
  #lastId = 0;

  private constructor(name: string) {
    this.name = name;
  }

  static async make(t: Lifetime): Promise<Namespace> {
    const space = new Namespace(`vauban-test-${process.pid}-${++made}`);
    await run('ip', 'netns', 'add', space.name);
    defer(t, () => run('ip', 'netns', 'del', space.name));
    await space.run('ip', 'link', 'set', 'lo', 'up');
    return space;
  }

  /**
   * Returns the command that runs a program in this namespace. It uses `nsenter` because `ip netns exec` would remount
   * /sys.
   */
  command(...words: string[]): [string, string[]] {
    return ['nsenter', [`--net=/run/netns/${this.name}`, ...words]];
  }

  async run(...words: string[]): Promise<string> {
    const [program, args] = this.command(...words);
    return run(program, ...args);
  }

  /** Opens a TCP connection from this namespace, through a process that only passes it on. */
  dial(t: TestContext, host: string, port: number): Duplex {
    const script = `const socket = require('net').connect(${port}, '${host}'); socket.on('error', () => process.exit(1));
      process.stdin.pipe(socket).pipe(process.stdout);`;
    const [program, args] = this.command(process.execPath, '-e', script);
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    child.stdin.on('error', () => {});
    defer(t, async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const stream = new Duplex({
      read: () => {},
      write: (chunk, _, done) => void child.stdin.write(chunk, () => done()),
      final: (done) => void child.stdin.end(() => done()),
      destroy(error, done) {
        child.kill('SIGKILL');
        done(error);
      },
    });
    child.stdout.on('data', (chunk) => stream.push(chunk)).on('end', () => stream.push(null));
    return stream;
  }

  async ip(...lines: string[]): Promise<void> {
    const [program, args] = this.command('ip', '-batch', '-');
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.end(`${lines.join('\n')}\n`);
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`ip failed in ${this.name}:\n${lines.join('\n')}`);
  }

  /** Starts the process that `ask` talks to. */
  async inhabit(t: TestContext): Promise<this> {
    const [program, args] = this.command(process.execPath, AGENT);
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#process = child;
    defer(t, async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    const ready = new Promise((resolve, reject) => this.#waiting.set(0, { resolve, reject }));
    child.on('message', (message) => this.#receive(message as never));
    await ready;
    return this;
  }

  ask(request: Request): Promise<unknown> {
    const id = ++this.#lastId;
    const reply = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#process!.send({ id, request });
    return reply;
  }

  /** Returns the senders of datagrams and connections that a port has received so far. */
  arrivals(port: number): string[] {
    return this.#arrivals.filter((arrival) => arrival.port === port).map(({ from }) => from);
  }

  async arrived(port: number, count: number): Promise<void> {
    while (this.arrivals(port).length < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  #receive(message: { arrival: Arrival } | { id: number; result?: unknown; error?: string }): void {
    if ('arrival' in message) {
      this.#arrivals.push(message.arrival);
      for (const wake of this.#watchers.splice(0)) wake();
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error !== undefined) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.result);
  }
}
