import { interact } from '../interact.ts';
import type { Command, Process } from '../process.ts';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const YES_CHUNK = 16_384;
/** The numbers are generated one by one, so this bounds the work. */
const MAX_SEQUENCE = 10_000_000;

async function sleep(process: Process): Promise<number> {
  for (const arg of process.args) {
    const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+)([smhd]?)$/.exec(arg) ?? [];
    if (amount === undefined) return process.fail(`invalid time interval '${arg}'`);
    await process.sleep(Number(amount) * (UNITS[unit] ?? 1) * 1000);
  }
  return process.args.length > 0 ? 0 : process.fail('missing operand');
}

async function yes(process: Process): Promise<number> {
  const line = `${process.args.join(' ') || 'y'}\n`;
  const chunk = Buffer.from(line.repeat(Math.max(1, Math.floor(YES_CHUNK / line.length))));
  for (;;) await process.stdout.write(chunk);
}

async function seq(process: Process): Promise<number> {
  const numbers = process.args.map(Number);
  if (numbers.length === 0 || numbers.some((number) => !Number.isFinite(number))) {
    return process.fail(`invalid floating point argument: '${process.args.join(' ')}'`);
  }
  const [first, step, last] =
    numbers.length === 1
      ? [1, 1, numbers[0]!]
      : numbers.length === 2
        ? [numbers[0]!, 1, numbers[1]!]
        : (numbers as [number, number, number]);
  if (step === 0 || (last - first) / step > MAX_SEQUENCE) return process.fail('too many numbers');
  let text = '';
  const count = Math.floor((last - first) / step);
  for (let at = 0; at <= count; at++) {
    text += `${first + at * step}\n`;
    if (text.length < YES_CHUNK) continue;
    await process.print(text);
    text = '';
  }
  await process.print(text);
  return 0;
}

/** Unlike the real one, does not kill the command: simulated commands end sooner. */
async function timeout(process: Process): Promise<number> {
  const [, ...words] = process.args.filter((arg, at) => at > 0 || !arg.startsWith('-'));
  return words.length > 0
    ? process.shell.child().execute(words, process)
    : process.fail('missing operand', 125);
}

/** `sh -c SCRIPT`, `sh FILE`, or a script from standard input. */
async function sh(process: Process): Promise<number> {
  const { args, shell } = process;
  const at = args.findIndex((arg) => /^-\w*c$/.test(arg));
  if (at >= 0) return shell.child().run(args[at + 1] ?? '', process);
  const file = args.find((arg) => !arg.startsWith('-'));
  let script = '';
  for await (const bytes of process.contents(file === undefined ? [] : [file])) {
    script += bytes;
    if (script.length > YES_CHUNK * 4) return process.fail('the script is too long', 2);
  }
  return shell.child().run(script, process);
}

async function sudo(process: Process): Promise<number> {
  const { shell, system } = process;
  const args = [...process.args];
  let user = 'root';
  let login = false;
  while (args[0]?.startsWith('-')) {
    const option = args.shift()!;
    if (option === '-u') user = args.shift() ?? 'root';
    else if (/^-\w*[is]/.test(option)) login = true;
    else if (option === '--') break;
  }
  if (user !== 'root' && user !== system.distribution.user) return process.fail(`unknown user ${user}`);
  await system.log(
    'sudo',
    4242,
    `${shell.user} : PWD=${shell.cwd} ; USER=${user} ; COMMAND=${args.join(' ')}`,
  );
  const child = shell.child(user);
  if (args.length > 0) return child.execute(args, process);
  if (!login && process.name !== 'su') return process.fail('usage: sudo [-u user] command', 1);
  child.cwd = child.home;
  if (!shell.terminal) return 0;
  return interact(child, shell.terminal, process.signal);
}

async function which(process: Process): Promise<number> {
  let code = 0;
  for (const name of process.options().words) {
    if (process.shell.knows(name)) await process.print(`/usr/bin/${name}\n`);
    else code = 1;
  }
  return code;
}

async function xargs(process: Process): Promise<number> {
  const words = process.args.filter((arg) => arg !== '-r' && arg !== '-0');
  let text = '';
  for await (const bytes of process.stdin) text = (text + bytes).slice(0, YES_CHUNK * 4);
  const args = text.split(/\s+/).filter((word) => word !== '');
  return process.shell.child().execute([...(words.length > 0 ? words : ['echo']), ...args], process);
}

export const FLOW: Record<string, Command> = {
  sleep,
  yes,
  seq,
  sh,
  bash: sh,
  sudo,
  which,
  xargs,
  timeout,
  command: (process) => {
    const [first, ...rest] = process.args;
    if (first === '-v') return process.shell.execute(['which', ...rest], process);
    return process.shell.execute(process.args, process);
  },
  exit: ({ shell, args }) => {
    shell.exiting = args[0] === undefined ? shell.last : Number(args[0]) & 255;
    return shell.exiting;
  },
  logout: ({ shell }) => {
    shell.exiting = shell.last;
    return shell.last;
  },
  history: async (process) => {
    const lines = process.shell.history.map((line, index) => `${String(index + 1).padStart(5)}  ${line}\n`);
    await process.print(lines.join(''));
    return 0;
  },
};
