import { FileError } from '../../system/entry.ts';
import type { FileWriter } from '../../system/file-writer.ts';
import { isWithin, parentOf } from '../../system/paths.ts';
import type { Command, Process } from '../process.ts';
import { humanSize, table } from '../tables.ts';

const GIBIBYTE = 1_073_741_824;
const MEBIBYTE = 1_048_576;

async function df(process: Process): Promise<number> {
  const { letters, words } = process.options();
  for (const word of words) process.system.files.need(process.path(word), process.shell.user);
  const { total, used } = process.system.disk();
  const show = letters.has('h') ? humanSize : (bytes: number) => String(Math.ceil(bytes / 1024));
  const share = (part: number, whole: number) => `${Math.ceil((part / whole) * 100)}%`;
  const memory = Math.min(process.system.guest.ramMb * MEBIBYTE * 0.1, GIBIBYTE);
  const rows = [
    [
      'Filesystem',
      letters.has('h') ? 'Size' : '1K-blocks',
      'Used',
      letters.has('h') ? 'Avail' : 'Available',
      'Use%',
      'Mounted on',
    ],
    ['/dev/vda1', show(total), show(used), show(total - used), share(used, total), '/'],
  ];
  if (words.length === 0)
    rows.push(['tmpfs', show(memory), show(memory / 100), show(memory * 0.99), '1%', '/run']);
  await process.print(table(rows, [1, 2, 3, 4]));
  return 0;
}

async function du(process: Process): Promise<number> {
  const { letters, words, long } = process.options();
  const { files } = process.system;
  const at = process.args.indexOf('-d');
  const paths = at < 0 ? words : words.filter((word) => word !== process.args[at + 1]);
  const named = [...long].find((name) => name.startsWith('max-depth='))?.split('=')[1];
  const depth = letters.has('s') ? 0 : Number(named ?? (at < 0 ? 1000 : process.args[at + 1]));
  const show = (bytes: number) =>
    letters.has('h')
      ? humanSize(bytes)
      : letters.has('b')
        ? String(bytes)
        : String(Math.ceil(bytes / (letters.has('m') ? MEBIBYTE : 1024)));
  return process.each(paths.length > 0 ? paths : ['.'], async (root, shown) => {
    const entry = files.need(root, process.shell.user);
    const tree = files.tree(root).filter((path) => !isWithin('/proc', path));
    const sums = new Map<string, number>();
    for (const path of tree) {
      const size = files.stat(path)!.size;
      for (let up = path; isWithin(root, up); up = parentOf(up)) {
        sums.set(up, (sums.get(up) ?? 0) + size);
        if (up === root || up === '/') break;
      }
    }
    const listed = tree.filter(
      (path) => letters.has('a') || files.stat(path)!.kind === 'directory' || path === root,
    );
    for (const path of listed.reverse()) {
      const below = path === root ? '' : path.slice(root === '/' ? 1 : root.length + 1);
      if (below !== '' && below.split('/').length > depth) continue;
      await process.print(
        `${show(sums.get(path)!)}\t${below === '' ? shown : `${shown.replace(/\/$/, '')}/${below}`}\n`,
      );
    }
    if (entry.kind === 'gone') throw new FileError('No such file or directory');
  });
}

async function lsblk(process: Process): Promise<number> {
  const size = `${process.system.guest.diskGb}G`;
  await process.print(
    table(
      [
        ['NAME', 'MAJ:MIN', 'RM', 'SIZE', 'RO', 'TYPE', 'MOUNTPOINTS'],
        ['vda', '254:0', '0', size, '0', 'disk', ''],
        ['└─vda1', '254:1', '0', size, '0', 'part', '/'],
      ],
      [2, 3, 4],
    ),
  );
  return 0;
}

const FACTORS: Record<string, number> = {
  '': 1,
  K: 1024,
  k: 1024,
  M: MEBIBYTE,
  G: GIBIBYTE,
  MB: 1e6,
  GB: 1e9,
};
const GROWTH_BYTES = 64 * MEBIBYTE;
const MAX_TO_NOWHERE = 64 * GIBIBYTE;
const ZEROS = Buffer.alloc(65_536);

/** `dd` from zeros, a file or standard input. Counts the bytes and writes them to `of`. */
async function dd(process: Process): Promise<number> {
  const given = Object.fromEntries(process.args.map((arg) => arg.split('=', 2)));
  const [, amount, unit = ''] = /^(\d+)(K|k|M|G|MB|GB|)$/.exec(given.bs ?? '512') ?? [];
  if (amount === undefined) return process.fail(`invalid number: '${given.bs}'`);
  const zero = given.if === '/dev/zero';
  const limit =
    given.count === undefined
      ? Number.POSITIVE_INFINITY
      : Number(amount) * FACTORS[unit]! * Number(given.count);
  const { files } = process.system;
  const null_ = given.of === '/dev/null';
  const file =
    given.of === undefined || null_
      ? undefined
      : await files.write(process.path(given.of), process.shell.user, false);
  const began = process.system.now();
  let copied = 0;
  let full = false;
  try {
    for await (const bytes of zero
      ? zeros(limit)
      : process.contents(given.if === undefined ? [] : [given.if])) {
      const piece = bytes.subarray(0, Math.min(bytes.length, limit - copied));
      // Goes through the process even without a limit, so that a runaway command yields and is eventually stopped.
      if (file) await file.write(piece);
      else if (!null_) await process.stdout.write(piece);
      copied += piece.length;
      if (file && zero && copied >= MEBIBYTE) copied += growBy(file, limit - copied);
      if (null_ && copied > MAX_TO_NOWHERE) break;
      if (copied % MEBIBYTE === 0) await new Promise(setImmediate);
      if (process.signal.aborted || copied >= limit) break;
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    full = true;
    await process.fail(`error writing '${given.of}': ${error.message}`);
  }
  await file?.close();
  const seconds = Math.max((process.system.now() - began) / 1000, copied / 1e9, 0.001);
  await process.stderr.write(
    Buffer.from(
      `${copied} bytes (${humanSize(copied)}) copied, ${seconds.toFixed(3)} s, ${(copied / seconds / 1e6).toFixed(0)} MB/s\n`,
    ),
  );
  return Number(full);
}

/** Extends a file of zeros without writing each byte. Returns the number of bytes added. */
function growBy(file: FileWriter, left: number): number {
  const length = Math.min(left, GROWTH_BYTES);
  file.grow(length);
  return length;
}

function* zeros(limit: number): Generator<Buffer> {
  for (let left = limit; left > 0; left -= ZEROS.length) yield ZEROS;
}

export const DISK: Record<string, Command> = { df, du, lsblk, dd };
