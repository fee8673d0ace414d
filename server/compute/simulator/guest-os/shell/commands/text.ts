import { plain, regularExpression } from '../pattern.ts';
import type { Source } from '../pipe.ts';
import { type Command, linesOf, type Process } from '../process.ts';

/** Lines that `tail` keeps; no screen shows more. */
const MAX_TAIL = 10_000;
const MAX_TAIL_BYTES = 1_048_576;

/** Removes "-n 5", "-n5" or "-5" from the arguments. */
function countOf(args: string[]): { count: number; rest: string[] } {
  const rest: string[] = [];
  let count = 10;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '-n') count = Number(args[++at]);
    else if (/^-n?\d+$/.test(arg)) count = Number(arg.replace(/^-n?/, ''));
    else if (!/^-[fq]$/.test(arg)) rest.push(arg);
  }
  return { count: Number.isFinite(count) ? Math.abs(count) : 10, rest };
}

async function head(process: Process): Promise<number> {
  if (process.args[0] === '-c') return headBytes(process, Number(process.args[1]), process.args.slice(2));
  const { count, rest } = countOf(process.args);
  let seen = 0;
  if (count > 0) {
    for await (const line of linesOf(process.contents(rest))) {
      await process.print(`${line}\n`);
      if (++seen >= count) break;
    }
  }
  return 0;
}

async function headBytes(process: Process, count: number, paths: string[]): Promise<number> {
  let left = count;
  if (!(left > 0)) return 0;
  for await (const bytes of process.contents(paths)) {
    await process.stdout.write(bytes.subarray(0, left));
    left -= bytes.length;
    if (left <= 0) break;
  }
  return 0;
}

/** Reads only the end of a large file, as `tail` does by seeking. */
function tailSource(process: Process, paths: string[]): Source {
  const [shown] = paths;
  if (paths.length !== 1 || shown === undefined || shown === '-') return process.contents(paths);
  const path = process.path(shown);
  const size = process.system.files.stat(path)?.size ?? 0;
  // An incomplete first line does not matter, because `tail` counts lines from the end.
  return process.read(path, Math.max(0, size - MAX_TAIL_BYTES));
}

async function tail(process: Process): Promise<number> {
  const { count, rest } = countOf(process.args);
  const kept = Math.min(count, MAX_TAIL);
  let lines: string[] = [];
  for await (const line of linesOf(tailSource(process, rest))) {
    lines.push(line);
    if (lines.length > 2 * kept + 1) lines = lines.slice(-kept);
  }
  await process.print(
    kept > 0
      ? lines
          .slice(-kept)
          .map((line) => `${line}\n`)
          .join('')
      : '',
  );
  return 0;
}

interface GrepOptions {
  letters: Set<string>;
  pattern: string;
  paths: string[];
}

function grepOptions({ args, name }: Process): GrepOptions {
  const letters = new Set<string>(name === 'egrep' ? ['E'] : []);
  const words: string[] = [];
  let given: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '-e') given = args[++at] ?? '';
    else if (/^-[ABCm]$/.test(arg)) at++;
    else if (/^-[a-zA-Z]+$/.test(arg)) for (const letter of arg.slice(1)) letters.add(letter);
    else if (!arg.startsWith('--')) words.push(arg);
  }
  const [pattern = '', ...paths] = given === undefined ? words : [given, ...words];
  return { letters, pattern, paths };
}

/** Converts a basic expression, which writes `\|`, `\(` and `\+`, to an extended one, which leaves out the backslash. */
function extended(pattern: string): string {
  return pattern.replace(/\\?[|()+?{}]/g, (found) => (found.length === 2 ? found[1]! : `\\${found}`));
}

async function grep(process: Process): Promise<number> {
  const { letters, pattern, paths } = grepOptions(process);
  const source = letters.has('F')
    ? plain(pattern)
    : letters.has('E') || letters.has('P')
      ? pattern
      : extended(pattern);
  const expression = regularExpression(letters.has('w') ? `\\b(?:${source})\\b` : source, letters.has('i'));
  if (!expression) return process.fail(`invalid regular expression '${pattern}'`, 2);
  const { files } = process.system;
  const deep = letters.has('r') || letters.has('R');
  const all = deep
    ? (paths.length > 0 ? paths : ['.']).flatMap((path) => files.tree(process.path(path)))
    : paths;
  const places = all.filter((path) => !deep || files.stat(path)?.kind === 'file');
  let hits = 0;
  const code = await process.each(places.length > 0 ? places : ['-'], async (path, shown) => {
    const source = shown === '-' ? process.stdin : process.read(path);
    const prefix = (places.length > 1 || deep) && !letters.has('h') ? `${shown}:` : '';
    let number = 0;
    let count = 0;
    for await (const line of linesOf(source)) {
      number++;
      if (expression.found(line) === letters.has('v')) continue;
      count++;
      if (letters.has('q') || letters.has('l')) break;
      if (letters.has('c')) continue;
      const shownLines = letters.has('o') ? expression.matches(line) : [line];
      for (const each of shownLines)
        await process.print(`${prefix}${letters.has('n') ? `${number}:` : ''}${each}\n`);
    }
    if (letters.has('c')) await process.print(`${prefix}${count}\n`);
    if (letters.has('l') && count > 0) await process.print(`${shown}\n`);
    hits += count;
  });
  return code !== 0 ? 2 : Number(hits === 0);
}

async function wc(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const asked = [...'lwc'].filter((letter) => letters.has(letter));
  const shown = asked.length > 0 ? asked : [...'lwc'];
  return process.each(words.length > 0 ? words : ['-'], async (path, name) => {
    const counts: Record<string, number> = { l: 0, w: 0, c: 0 };
    let inWord = false;
    const source = name === '-' ? process.stdin : process.read(path);
    for await (const bytes of source) {
      counts.c! += bytes.length;
      for (const byte of bytes) {
        const blank = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
        if (byte === 0x0a) counts.l!++;
        if (!blank && !inWord) counts.w!++;
        inWord = !blank;
      }
      await new Promise(setImmediate);
    }
    const numbers = shown
      .map((letter) => String(counts[letter]).padStart(shown.length > 1 ? 7 : 0))
      .join(' ');
    await process.print(`${numbers}${name === '-' ? '' : ` ${name}`}\n`);
  });
}

export const TEXT: Record<string, Command> = { head, tail, grep, egrep: grep, wc };
