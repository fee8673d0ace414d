import { FileError } from '../../system/entry.ts';
import { absolute, nameOf, parentOf } from '../../system/paths.ts';
import type { Command, Process } from '../process.ts';

async function cat(process: Process): Promise<number> {
  const paths = process.options().words;
  if (paths.length === 0) return copyInput(process);
  return process.each(paths, async (path, shown) => {
    if (shown === '-') await copyInput(process);
    else for await (const bytes of process.read(path)) await process.stdout.write(bytes);
  });
}

async function copyInput(process: Process): Promise<number> {
  for await (const bytes of process.stdin) await process.stdout.write(bytes);
  return 0;
}

async function mkdir(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const { files } = process.system;
  const { user } = process.shell;
  const make = async (path: string): Promise<void> => {
    if (letters.has('p') && files.stat(path)?.kind === 'directory') return;
    if (letters.has('p') && parentOf(path) !== path) await make(parentOf(path));
    await files.mkdir(path, user);
  };
  return process.each(words, make);
}

async function rm(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const { files } = process.system;
  return process.each(words, async (path) => {
    const entry = files.stat(path);
    if (!entry && letters.has('f')) return;
    if (path === '/') throw new FileError('it is dangerous to operate recursively on /');
    const deep = letters.has('r') || letters.has('R');
    if (entry?.kind === 'directory' && !deep) throw new FileError('Is a directory');
    await files.remove(path, process.shell.user);
  });
}

async function rmdir(process: Process): Promise<number> {
  const { files } = process.system;
  return process.each(process.options().words, async (path) => {
    if (files.need(path, process.shell.user).kind !== 'directory') throw new FileError('Not a directory');
    if (files.list(path).length > 0) throw new FileError('Directory not empty');
    await files.remove(path, process.shell.user);
  });
}

/** Returns the target of one source of `cp` or `mv`: a path inside the directory `to`, or `to` itself. */
function targetOf(process: Process, to: string, from: string): string {
  const path = process.path(to);
  return process.system.files.stat(path)?.kind === 'directory' ? absolute(path, nameOf(from)) : path;
}

async function copyFile(process: Process, from: string, to: string): Promise<void> {
  const { system, shell } = process;
  const file = await system.files.write(to, shell.user, false);
  for await (const bytes of process.read(from)) {
    if (process.signal.aborted) return;
    await file.write(bytes);
    await new Promise(setImmediate);
  }
  await file.close();
}

async function cp(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const to = words.pop();
  if (to === undefined || words.length === 0) return process.fail('missing file operand');
  const { files } = process.system;
  return process.each(words, async (from) => {
    const target = targetOf(process, to, from);
    if (files.need(from, process.shell.user).kind !== 'directory') return copyFile(process, from, target);
    if (!letters.has('r') && !letters.has('a') && !letters.has('R'))
      throw new FileError('-r not specified; omitting directory');
    for (const path of files.tree(from)) {
      const place = absolute(target, `.${path.slice(from.length)}`);
      if (files.stat(path)?.kind !== 'directory') await copyFile(process, path, place);
      else if (!files.stat(place)) await files.mkdir(place, process.shell.user);
    }
  });
}

async function mv(process: Process): Promise<number> {
  const { words } = process.options();
  const to = words.pop();
  if (to === undefined || words.length === 0) return process.fail('missing file operand');
  return process.each(words, async (from) => {
    process.system.files.need(from, process.shell.user);
    await process.system.files.move(from, targetOf(process, to, from), process.shell.user);
  });
}

async function truncate(process: Process): Promise<number> {
  const at = process.args.indexOf('-s');
  if (process.args[at + 1] !== '0' && !process.args.includes('--size=0'))
    return process.fail('only -s 0 is simulated');
  const paths = process.args.filter((arg, index) => !arg.startsWith('-') && (at < 0 || index !== at + 1));
  return process.each(paths, async (path) =>
    (await process.system.files.write(path, process.shell.user, false)).close(),
  );
}

async function tee(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const { files } = process.system;
  const writers = await Promise.all(
    words.map((path) => files.write(process.path(path), process.shell.user, letters.has('a'))),
  );
  for await (const bytes of process.stdin) {
    for (const writer of writers) await writer.write(bytes);
    await process.stdout.write(bytes);
  }
  for (const writer of writers) await writer.close();
  return 0;
}

async function chmod(process: Process): Promise<number> {
  const [mode = '', ...paths] = process.args.filter((arg) => arg !== '-R');
  if (!/^[0-7]{3,4}$/.test(mode)) return process.fail(`only octal modes are simulated: '${mode}'`);
  return process.each(paths, (path) =>
    process.system.files.setMode(path, Number.parseInt(mode, 8), process.shell.user),
  );
}

async function chown(process: Process): Promise<number> {
  const [owner = '', ...paths] = process.args.filter((arg) => arg !== '-R');
  const name = owner.split(':')[0]!;
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) return process.fail(`invalid user: '${owner}'`);
  return process.each(paths, (path) => process.system.files.setOwner(path, name, process.shell.user));
}

export const FILES: Record<string, Command> = {
  cat,
  mkdir,
  rm,
  rmdir,
  cp,
  mv,
  tee,
  truncate,
  chmod,
  chown,
  touch: (process) =>
    process.each(process.options().words, (path) => process.system.files.touch(path, process.shell.user)),
};
