import { FileError } from '../system/entry.ts';
import type { FileWriter } from '../system/file-writer.ts';
import { absolute } from '../system/paths.ts';
import type { System } from '../system/system.ts';
import { COMMANDS } from './commands/all.ts';
import { expandWord, expandWords } from './expansion.ts';
import { parse } from './parser.ts';
import { BrokenPipe, Collector, NOWHERE, Pipe, type Sink, textSource } from './pipe.ts';
import { Interrupted, OverBudget, Process, type Streams } from './process.ts';
import { type Pipeline, type Redirect, type SimpleCommand, SyntaxFault } from './syntax.ts';
import type { Terminal } from './terminal.ts';

/** Bytes of a command's output that `$( )` keeps. */
const MAX_SUBSTITUTED = 262_144;
const MAX_VARIABLES = 500;
/** Stops recursion such as `sudo sh -c "sudo sh -c …"`. */
const MAX_DEPTH = 16;

export interface ShellOptions {
  system: System;
  user: string;
  terminal?: Terminal;
  /** Terminal name such as "pts/0"; absent for a command without a terminal. */
  tty?: string;
  env?: Record<string, string>;
}

/** A user's shell on a guest: its directory, variables and history. */
export class Shell {
  readonly system: System;
  readonly user: string;
  readonly terminal: Terminal | undefined;
  readonly tty: string | undefined;
  readonly home: string;
  readonly env: Map<string, string>;
  readonly history: string[] = [];
  cwd: string;
  /** Exit code of the latest pipeline. */
  last = 0;
  /** Exit code set by `exit`. */
  exiting: number | undefined;
  #depth = 0;

  constructor({ system, user, terminal, tty, env = {} }: ShellOptions) {
    this.system = system;
    this.user = user;
    this.terminal = terminal;
    this.tty = tty;
    this.home = user === 'root' ? '/root' : `/home/${user}`;
    this.cwd = this.home;
    this.env = new Map(
      Object.entries({
        HOME: this.home,
        LANG: 'C.UTF-8',
        LOGNAME: user,
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        SHELL: '/bin/bash',
        USER: user,
        ...env,
      }),
    );
  }

  /** Returns a shell in the same directory, possibly of another user, as `sudo` and `sh` start it. */
  child(user = this.user): Shell {
    const { system, terminal, tty } = this;
    const env = user === this.user ? Object.fromEntries(this.env) : undefined;
    const child = new Shell({ system, user, terminal, tty, env });
    child.cwd = this.cwd;
    child.#depth = this.#depth + 1;
    return child;
  }

  set(name: string, value: string): void {
    if (this.env.size < MAX_VARIABLES || this.env.has(name)) this.env.set(name, value);
  }

  /** Runs a script and returns the exit code of its last command. Never rejects. */
  async run(script: string, streams: Streams): Promise<number> {
    const complain = (text: string) => streams.stderr.write(Buffer.from(`bash: ${text}\n`)).catch(() => {});
    try {
      if (this.#depth > MAX_DEPTH) throw new SyntaxFault('too many shells inside each other');
      const pipelines = parse(script);
      await this.system.refresh();
      for (const pipeline of pipelines) {
        if (this.exiting !== undefined) break;
        if (pipeline.when === 'success' && this.last !== 0) continue;
        if (pipeline.when === 'failure' && this.last === 0) continue;
        this.last = await this.#pipeline(pipeline, streams);
        if (streams.signal.aborted) return 130;
      }
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      await complain(error.message);
      this.last = 2;
    }
    return this.exiting ?? this.last;
  }

  async #pipeline({ commands, negated }: Pipeline, streams: Streams): Promise<number> {
    const pipes = commands.slice(1).map(() => new Pipe());
    const closeAll = () => {
      for (const pipe of pipes) pipe.close();
    };
    streams.signal.addEventListener('abort', closeAll, { once: true });
    const codes = await Promise.all(
      commands.map(async (command, index) => {
        const stdin = pipes[index - 1];
        const stdout = pipes[index];
        // As in real shells, a command in a pipeline cannot change the directory or variables.
        const shell = commands.length > 1 ? this.child() : this;
        try {
          return await shell.#command(command, {
            ...streams,
            stdin: stdin ?? streams.stdin,
            stdout: stdout ?? streams.stdout,
          });
        } finally {
          stdin?.close();
          stdout?.end();
        }
      }),
    );
    streams.signal.removeEventListener('abort', closeAll);
    const code = codes.at(-1) ?? 0;
    return negated ? Number(code === 0) : code;
  }

  async #command(command: SimpleCommand, streams: Streams): Promise<number> {
    const files: FileWriter[] = [];
    try {
      const substitute = (script: string) => this.#substitute(script, streams);
      const words = await expandWords(this, command.words, substitute);
      for (const { name, value } of command.assignments) {
        this.set(name, await expandWord(this, value, substitute));
      }
      const redirected = await this.#redirect(command.redirects, streams, files, substitute);
      if (words.length === 0) return 0;
      return await this.execute(words, redirected);
    } catch (error) {
      return await codeOf(error, streams.stderr);
    } finally {
      for (const file of files) await file.close();
    }
  }

  knows(name: string): boolean {
    return COMMANDS.has(name);
  }

  async execute(words: string[], streams: Streams): Promise<number> {
    const name = words[0]!;
    const command = COMMANDS.get(name.replace(/^(\/usr)?(\/local)?\/s?bin\//, ''));
    const process = new Process(this, words, streams);
    if (!command) {
      await streams.stderr.write(Buffer.from(`bash: ${name}: command not found\n`));
      return 127;
    }
    try {
      return await command(process);
    } catch (error) {
      if (error instanceof FileError) return process.fail(error.message);
      throw error;
    }
  }

  async #substitute(script: string, streams: Streams): Promise<string> {
    const collector = new Collector(MAX_SUBSTITUTED);
    await this.child().run(script, { ...streams, stdout: collector });
    const text = collector.text();
    let end = text.length;
    while (text[end - 1] === '\n') end--;
    return text.slice(0, end);
  }

  async #redirect(
    redirects: Redirect[],
    streams: Streams,
    files: FileWriter[],
    substitute: (script: string) => Promise<string>,
  ): Promise<Streams> {
    const result = { ...streams };
    const outs: [unknown, Sink, Sink] = [null, streams.stdout, streams.stderr];
    for (const { fd, how, to } of redirects) {
      const target = await expandWord(this, to, substitute);
      const path = absolute(this.cwd, target);
      if (how === 'text') result.stdin = textSource(target);
      else if (how === 'copy') outs[fd] = outs[Number(target) as 1 | 2];
      else if (how === 'read') {
        if (!this.system.files.stat(path)) throw new FileError(`${target}: No such file or directory`);
        result.stdin = this.system.files.read(path, this.user);
      } else outs[fd] = await this.#open(path, target, how === 'append', files);
    }
    [, result.stdout, result.stderr] = outs;
    return result;
  }

  async #open(path: string, shown: string, append: boolean, files: FileWriter[]): Promise<Sink> {
    if (path === '/dev/null') return NOWHERE;
    try {
      const file = await this.system.files.write(path, this.user, append);
      files.push(file);
      return file;
    } catch (error) {
      throw error instanceof FileError ? new FileError(`${shown}: ${error.message}`) : error;
    }
  }
}

async function codeOf(error: unknown, stderr: Sink): Promise<number> {
  if (error instanceof Interrupted) return 130;
  if (error instanceof BrokenPipe) return 141;
  if (error instanceof OverBudget) {
    await stderr.write(Buffer.from('CPU time limit exceeded\n')).catch(() => {});
    return 152;
  }
  if (!(error instanceof FileError)) throw error;
  await stderr.write(Buffer.from(`bash: ${error.message}\n`)).catch(() => {});
  return 1;
}
