import { FileError } from '../../system/entry.ts';
import type { Command, Process } from '../process.ts';

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  e: '\x1b',
  '0': '\0',
  a: '\x07',
};

/** Replaces the escapes of `echo -e` and `printf`. */
function withEscapes(text: string): string {
  return text.replace(/\\([ntr\\e0a])/g, (_, letter: string) => ESCAPES[letter]!);
}

async function echo(process: Process): Promise<number> {
  const words = [...process.args];
  let flags = '';
  while (/^-[neE]+$/.test(words[0] ?? '')) flags += words.shift();
  const text = words.join(' ');
  await process.print((flags.includes('e') ? withEscapes(text) : text) + (flags.includes('n') ? '' : '\n'));
  return 0;
}

async function printf(process: Process): Promise<number> {
  const [format = '', ...values] = process.args;
  let used = 0;
  do {
    const from = used;
    const text = withEscapes(format).replace(/%(-?)(0?)(\d{0,3})([sd%])/g, (_, left, zero, width, kind) => {
      if (kind === '%') return '%';
      const value = values[used++] ?? (kind === 'd' ? '0' : '');
      const length = Number(width);
      return left ? value.padEnd(length) : value.padStart(length, zero ? '0' : ' ');
    });
    await process.print(text);
    if (used === from) break;
  } while (used < values.length);
  return 0;
}

async function changeDirectory(process: Process): Promise<number> {
  const { shell, args } = process;
  const [to = shell.home] = args;
  const path = process.path(to === '-' ? (shell.env.get('OLDPWD') ?? shell.home) : to);
  try {
    const entry = process.system.files.need(path, shell.user);
    if (entry.kind !== 'directory') throw new FileError('Not a directory');
    const closed = shell.user !== 'root' && entry.owner !== shell.user && !(entry.mode & 0o001);
    if (closed) throw new FileError('Permission denied');
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return process.fail(`${to}: ${error.message}`);
  }
  shell.set('OLDPWD', shell.cwd);
  shell.cwd = path;
  return 0;
}

async function exportVariables(process: Process): Promise<number> {
  const { shell, args } = process;
  for (const arg of args) {
    const [name = '', ...value] = arg.split('=');
    if (!/^[A-Za-z_]\w*$/.test(name)) return process.fail(`\`${arg}': not a valid identifier`);
    if (value.length > 0) shell.set(name, value.join('='));
  }
  if (args.length === 0) {
    for (const [name, value] of shell.env) await process.print(`declare -x ${name}="${value}"\n`);
  }
  return 0;
}

/** Prints the variables, or runs a command with additional ones. */
async function env(process: Process): Promise<number> {
  const { shell, args } = process;
  const child = shell.child();
  let at = 0;
  for (; /^[A-Za-z_]\w*=/.test(args[at] ?? ''); at++) {
    const [name = '', ...value] = args[at]!.split('=');
    child.set(name, value.join('='));
  }
  if (at < args.length) return child.execute(args.slice(at), process);
  for (const [name, value] of child.env) await process.print(`${name}=${value}\n`);
  return 0;
}

async function test(process: Process): Promise<number> {
  const args = process.name === '[' ? process.args.slice(0, -1) : process.args;
  const negated = args[0] === '!';
  const [left = '', operator, right = ''] = negated ? args.slice(1) : args;
  return Number(negated === judge(process, left, operator, right));
}

function judge(process: Process, left: string, operator: string | undefined, right: string): boolean {
  if (operator === undefined) return left !== '';
  const entry = () => process.system.files.stat(process.path(operator));
  const numbers: Record<string, (a: number, b: number) => boolean> = {
    '-eq': (a, b) => a === b,
    '-ne': (a, b) => a !== b,
    '-lt': (a, b) => a < b,
    '-le': (a, b) => a <= b,
    '-gt': (a, b) => a > b,
    '-ge': (a, b) => a >= b,
  };
  if (operator === '=' || operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const compare = numbers[operator];
  if (compare) return compare(Number(left), Number(right));
  if (left === '-n') return operator !== '';
  if (left === '-z') return operator === '';
  if (left === '-d') return entry()?.kind === 'directory';
  if (left === '-f') return entry()?.kind === 'file';
  if (left === '-s') return (entry()?.size ?? 0) > 0;
  return ['-e', '-r', '-w', '-x'].includes(left) && entry() !== undefined;
}

export const BASICS: Record<string, Command> = {
  ':': () => 0,
  true: () => 0,
  false: () => 1,
  echo,
  printf,
  cd: changeDirectory,
  pwd: (process) => process.print(`${process.shell.cwd}\n`).then(() => 0),
  export: exportVariables,
  unset: ({ shell, args }) => {
    for (const name of args) shell.env.delete(name);
    return 0;
  },
  env,
  printenv: async (process) => {
    const [name] = process.args;
    if (name === undefined) return env(process);
    const value = process.shell.env.get(name);
    if (value !== undefined) await process.print(`${value}\n`);
    return Number(value === undefined);
  },
  test,
  '[': test,
};
