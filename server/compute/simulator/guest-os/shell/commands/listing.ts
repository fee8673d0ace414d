import { type Entry, FileError } from '../../system/entry.ts';
import { stamp } from '../../system/journal.ts';
import { absolute, nameOf } from '../../system/paths.ts';
import { globSource, regularExpression } from '../pattern.ts';
import type { Command, Process } from '../process.ts';
import { humanSize } from '../tables.ts';

function modeText({ kind, mode }: Entry): string {
  const bits = [0o400, 0o200, 0o100, 0o040, 0o020, 0o010, 0o004, 0o002, 0o001];
  const text = bits.map((bit, index) => (mode & bit ? 'rwx'[index % 3] : '-')).join('');
  return (kind === 'directory' ? 'd' : '-') + (mode & 0o1000 ? `${text.slice(0, -1)}t` : text);
}

function longLine(entry: Entry, name: string, human: boolean): string {
  const size = human ? humanSize(entry.size) : String(entry.size);
  const when = stamp(entry.modifiedAt).slice(0, 12);
  return `${modeText(entry)} 1 ${entry.owner.padEnd(8)} ${entry.owner.padEnd(8)} ${size.padStart(12)} ${when} ${name}\n`;
}

async function ls(process: Process): Promise<number> {
  const { letters, words } = process.options();
  const { files } = process.system;
  const paths = words.length > 0 ? words : ['.'];
  return process.each(paths, async (path, shown) => {
    const entry = files.need(path, process.shell.user);
    const isDirectory = entry.kind === 'directory' && !letters.has('d');
    if (
      isDirectory &&
      process.shell.user !== 'root' &&
      entry.owner !== process.shell.user &&
      !(entry.mode & 0o004)
    ) {
      throw new FileError('Permission denied');
    }
    let names = isDirectory ? files.list(path) : [shown];
    if (isDirectory && letters.has('a')) names = ['.', '..', ...names];
    else if (isDirectory) names = names.filter((name) => !name.startsWith('.'));
    const entries = names.map((name) => ({
      name,
      entry: isDirectory ? files.stat(absolute(path, name)) : entry,
    }));
    if (letters.has('t')) entries.sort((a, b) => (b.entry?.modifiedAt ?? 0) - (a.entry?.modifiedAt ?? 0));
    if (letters.has('S')) entries.sort((a, b) => (b.entry?.size ?? 0) - (a.entry?.size ?? 0));
    if (paths.length > 1 && isDirectory) await process.print(`${shown}:\n`);
    if (!letters.has('l')) {
      const gap = process.stdout && process.shell.terminal && !letters.has('1') ? '  ' : '\n';
      await process.print(entries.length > 0 ? `${entries.map(({ name }) => name).join(gap)}\n` : '');
      return;
    }
    if (isDirectory)
      await process.print(
        `total ${entries.reduce((sum, each) => sum + Math.ceil((each.entry?.size ?? 0) / 1024), 0)}\n`,
      );
    for (const each of entries)
      if (each.entry) await process.print(longLine(each.entry, each.name, letters.has('h')));
  });
}

/** Returns the test for a size such as "+10M" of `find -size`. */
function sizeTest(text: string): (size: number) => boolean {
  const [, sign, amount, unit = ''] = /^([+-]?)(\d+)([ckMG]?)$/.exec(text) ?? [];
  const factor = { c: 1, k: 1024, M: 1_048_576, G: 1_073_741_824, '': 512 }[unit] ?? 512;
  const wanted = Number(amount) * factor;
  if (sign === '+') return (size) => size > wanted;
  return sign === '-' ? (size) => size < wanted : (size) => Math.ceil(size / factor) * factor === wanted;
}

async function find(process: Process): Promise<number> {
  const { files } = process.system;
  const at = process.args.findIndex((arg) => arg.startsWith('-'));
  const roots = at < 0 ? process.args : process.args.slice(0, at);
  const tests = at < 0 ? [] : process.args.slice(at);
  const value = (name: string) => {
    const index = tests.indexOf(name);
    return index < 0 ? undefined : (tests[index + 1] ?? '');
  };
  const name = value('-name') ?? value('-iname');
  const pattern =
    name === undefined ? undefined : regularExpression(`^${globSource(name)}$`, tests.includes('-iname'));
  const size = value('-size');
  const ofSize = size === undefined ? () => true : sizeTest(size);
  const kind = { f: 'file', d: 'directory' }[value('-type') ?? ''];
  const depth = Number(value('-maxdepth') ?? 1000);
  return process.each(roots.length > 0 ? roots : ['.'], async (root, shown) => {
    files.need(root, process.shell.user);
    for (const path of files.tree(root)) {
      const entry = files.stat(path)!;
      const below = path === root ? '' : path.slice(root === '/' ? 1 : root.length + 1);
      if (below !== '' && below.split('/').length > depth) continue;
      if (kind && entry.kind !== kind) continue;
      if (pattern && !pattern.found(nameOf(path))) continue;
      if (!ofSize(entry.size)) continue;
      if (tests.includes('-delete')) await files.remove(path, process.shell.user);
      else await process.print(`${below === '' ? shown : `${shown.replace(/\/$/, '')}/${below}`}\n`);
    }
  });
}

async function stat(process: Process): Promise<number> {
  return process.each(process.options().words, async (path, shown) => {
    const entry = process.system.files.need(path, process.shell.user);
    await process.print(
      `  File: ${shown}\n  Size: ${entry.size}\t${entry.kind === 'directory' ? 'directory' : 'regular file'}\n` +
        `Access: (0${entry.mode.toString(8)}/${modeText(entry)})  Uid: (${entry.owner})\n` +
        `Modify: ${new Date(entry.modifiedAt).toISOString()}\n`,
    );
  });
}

export const LISTING: Record<string, Command> = { ls, find, stat };
