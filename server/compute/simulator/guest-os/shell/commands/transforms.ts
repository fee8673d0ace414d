import { regularExpression } from '../pattern.ts';
import { type Command, linesOf, type Process } from '../process.ts';

/** Limits of the input that `sort` keeps in memory; larger input is refused. */
const MAX_LINES = 100_000;
const MAX_CHARACTERS = 16_777_216;
/** Parsing a script may take quadratic time. */
const MAX_SCRIPT = 500;

async function allLines(process: Process, paths: string[]): Promise<string[]> {
  const lines: string[] = [];
  let characters = 0;
  for await (const line of linesOf(process.contents(paths))) {
    characters += line.length;
    lines.push(line);
    if (lines.length > MAX_LINES || characters > MAX_CHARACTERS) throw new RangeError('input too large');
  }
  return lines;
}

const HUMAN: Record<string, number> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

function numberOf(text: string): number {
  const [, number = '0', unit = ''] = /^\s*(-?\d*\.?\d+)([KMGT]?)/.exec(text) ?? [];
  return Number(number) * (HUMAN[unit] ?? 1);
}

async function sort(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const at = process.args.findIndex((arg) => /^-k/.test(arg));
  const inline = /^-k(\d+)/.exec(process.args[at] ?? '')?.[1];
  const column = Number(inline ?? (at < 0 ? 0 : Number.parseInt(process.args[at + 1] ?? '0', 10)));
  const paths =
    at >= 0 && inline === undefined ? words.filter((word) => word !== process.args[at + 1]) : words;
  const byNumber = letters.has('n') || letters.has('h');
  const keyOf = (line: string) => {
    const text = column > 0 ? (line.trim().split(/\s+/)[column - 1] ?? '') : line;
    return { line, text, number: byNumber ? numberOf(text) : 0 };
  };
  const keyed = (await allLines(process, paths)).map(keyOf);
  keyed.sort((a, b) => a.number - b.number || (a.text < b.text ? -1 : Number(a.text > b.text)));
  const lines = keyed.map(({ line }) => line);
  if (letters.has('r')) lines.reverse();
  const shown = letters.has('u') ? [...new Set(lines)] : lines;
  await process.print(shown.map((line) => `${line}\n`).join(''));
  return 0;
}

async function uniq(process: Process): Promise<number> {
  const { letters, words } = process.options();
  let last: string | undefined;
  let count = 0;
  const flush = async () => {
    if (last === undefined || (letters.has('d') && count < 2)) return;
    await process.print(`${letters.has('c') ? `${String(count).padStart(7)} ` : ''}${last}\n`);
  };
  for await (const line of linesOf(process.contents(words))) {
    if (line === last) count++;
    else {
      await flush();
      last = line;
      count = 1;
    }
  }
  await flush();
  return 0;
}

async function cut(process: Process): Promise<number> {
  const text = process.args.join('\0');
  const delimiter = /(?:^|\0)-d\0?([^\0])/.exec(text)?.[1] ?? '\t';
  const fields = /(?:^|\0)-f\0?([\d,-]+)/.exec(text)?.[1];
  if (fields === undefined || fields.length > MAX_SCRIPT)
    return process.fail('you must specify a list of fields');
  const wanted = new Set(
    fields.split(',').flatMap((range) => {
      const [from = 1, to = from] = range.split('-').map((end) => Number(end) || undefined);
      return Array.from({ length: Math.min(Math.max(0, to - from + 1), 1000) }, (_, at) => from + at);
    }),
  );
  for await (const line of linesOf(process.contents(process.args.filter((arg) => arg.startsWith('/'))))) {
    const parts = line.split(delimiter).filter((_, at) => wanted.has(at + 1));
    await process.print(`${parts.join(delimiter)}\n`);
  }
  return 0;
}

/** `sed 's/a/b/g'` and `sed -n '2,5p'`, the two forms that people use. */
async function sed(process: Process): Promise<number> {
  const words = process.args.filter((arg) => !arg.startsWith('-'));
  const [script = '', ...paths] = words;
  if (script.length > MAX_SCRIPT) return process.fail('the script is too long');
  const replace = /^s(.)(.*?)\1(.*?)\1(g?)$/.exec(script);
  const range = /^(\d+)(?:,(\d+|\$))?p$/.exec(script);
  const expression = replace ? regularExpression(replace[2]!) : undefined;
  if (!expression && !range) return process.fail(`only s/a/b/g and N,Mp are simulated: '${script}'`);
  let number = 0;
  for await (const line of linesOf(process.contents(paths))) {
    number++;
    if (expression && replace)
      await process.print(`${expression.replaced(line, replace[3]!, replace[4] === 'g')}\n`);
    else if (range) {
      const to = range[2] === '$' ? Number.POSITIVE_INFINITY : Number(range[2] ?? range[1]);
      if (number > to) break;
      if (number >= Number(range[1])) await process.print(`${line}\n`);
    }
  }
  return 0;
}

/** `awk '{print $1, $3}'`, the form that people use. */
async function awk(process: Process): Promise<number> {
  const [script = '', ...paths] = process.args;
  if (script.length > MAX_SCRIPT) return process.fail('the script is too long', 2);
  const list = /^\s*\{\s*print([^}]*)\}\s*$/.exec(script)?.[1];
  if (list === undefined) return process.fail(`only '{print $N, …}' is simulated`, 2);
  const columns = [...list.matchAll(/\$(\d+|NF)/g)].map(([, column]) => column!);
  for await (const line of linesOf(process.contents(paths))) {
    const fields = line.trim().split(/\s+/);
    const shown = columns.map((column) =>
      column === '0' ? line : (fields[column === 'NF' ? fields.length - 1 : Number(column) - 1] ?? ''),
    );
    await process.print(`${columns.length === 0 ? line : shown.join(' ')}\n`);
  }
  return 0;
}

function refusingTooMuch(command: Command): Command {
  return async (process) => {
    try {
      return await command(process);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return process.fail(error.message, 2);
    }
  };
}

export const TRANSFORMS: Record<string, Command> = { sort: refusingTooMuch(sort), uniq, cut, sed, awk };
