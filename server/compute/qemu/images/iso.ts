/** Sector size of a CD. Everything begins at a multiple of it. */
const SECTOR = 2_048;
/** Sector numbers of the parts. The first sixteen sectors are reserved for boot loaders. */
const AT = { descriptors: 16, paths: 19, roots: 23, files: 25 };
const NAME_LENGTH = 32;

interface Entry {
  name: Buffer;
  sector: number;
  size: number;
  directory?: true;
}

/** The two ways of writing names: ISO 9660 restricts them; Joliet keeps them unchanged. */
interface Naming {
  type: number;
  escape: string;
  text(value: string): Buffer;
  fileName(value: string): Buffer;
  filler: Buffer;
}

const PLAIN: Naming = {
  type: 1,
  escape: '',
  text: (value) => Buffer.from(value, 'latin1'),
  // "user-data" becomes "USER_DAT.;1". Every relevant reader uses the Joliet names instead.
  fileName: (value) =>
    Buffer.from(
      `${value
        .toUpperCase()
        .replace(/[^A-Z0-9]/g, '_')
        .slice(0, 8)}.;1`,
      'latin1',
    ),
  filler: Buffer.from(' '),
};

const JOLIET: Naming = {
  type: 2,
  // UCS-2, level 3.
  escape: '%/E',
  text: (value) => Buffer.from(value, 'utf16le').swap16(),
  fileName: (value) => JOLIET.text(value),
  filler: Buffer.from('\0 '),
};

/** Numbers are stored twice on a CD: little-endian, then big-endian. */
function both32(target: Buffer, value: number, at: number): void {
  target.writeUInt32LE(value, at);
  target.writeUInt32BE(value, at + 4);
}

function both16(target: Buffer, value: number, at: number): void {
  target.writeUInt16LE(value, at);
  target.writeUInt16BE(value, at + 2);
}

function directoryRecord({ name, sector, size, directory }: Entry): Buffer {
  const record = Buffer.alloc(33 + name.length + ((name.length + 1) % 2));
  record.writeUInt8(record.length, 0);
  both32(record, sector, 2);
  both32(record, size, 10);
  // A date in 1970, so that the same seed always has the same bytes.
  record.set([70, 1, 1, 0, 0, 0, 0], 18);
  record.writeUInt8(directory ? 2 : 0, 25);
  both16(record, 1, 28);
  record.writeUInt8(name.length, 32);
  record.set(name, 33);
  return record;
}

/** Returns the root directory's entry for itself (0) or for its parent (1), which is also itself. */
function rootEntry(sector: number, self: 0 | 1): Entry {
  return { name: Buffer.from([self]), sector, size: SECTOR, directory: true };
}

function rootDirectory(sector: number, files: Entry[]): Buffer {
  const records = [rootEntry(sector, 0), rootEntry(sector, 1), ...files].map(directoryRecord);
  const directory = Buffer.alloc(SECTOR);
  directory.set(Buffer.concat(records));
  return directory;
}

/** Returns the list of all directories, of which there is only one, in either byte order. */
function pathTable(root: number, bigEndian: boolean): Buffer {
  const table = Buffer.alloc(SECTOR);
  table.writeUInt8(1, 0);
  if (bigEndian) table.writeUInt32BE(root, 2);
  else table.writeUInt32LE(root, 2);
  if (bigEndian) table.writeUInt16BE(1, 6);
  else table.writeUInt16LE(1, 6);
  return table;
}

const PATH_TABLE_BYTES = 10;

function descriptor(naming: Naming, label: string, sectors: number, paths: number, root: number): Buffer {
  const block = Buffer.alloc(SECTOR);
  const text = (value: string, at: number, length: number) => {
    block.fill(naming.filler, at, at + length);
    block.set(naming.text(value).subarray(0, length), at);
  };
  block.writeUInt8(naming.type, 0);
  block.write('CD001\x01', 1, 'latin1');
  text('', 8, 32);
  text(label, 40, NAME_LENGTH);
  both32(block, sectors, 80);
  block.write(naming.escape, 88, 'latin1');
  both16(block, 1, 120);
  both16(block, 1, 124);
  both16(block, SECTOR, 128);
  both32(block, PATH_TABLE_BYTES, 132);
  block.writeUInt32LE(paths, 140);
  block.writeUInt32BE(paths + 1, 148);
  block.set(directoryRecord(rootEntry(root, 0)), 156);
  // Publisher and file identifiers: empty.
  text('', 190, 623);
  // Four unknown dates, of sixteen digits and a time zone each.
  for (let at = 813; at < 881; at += 17) block.write('0'.repeat(16), at, 'latin1');
  block.writeUInt8(1, 881);
  return block;
}

const TERMINATOR = Buffer.alloc(SECTOR);
TERMINATOR.write('\xffCD001\x01', 0, 'latin1');

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((SECTOR - (content.length % SECTOR)) % SECTOR)]);
}

/**
 * Returns an ISO 9660 file system with Joliet names and `files` in its root, readable by every system. Supports only a
 * few files with short names, because the root directory is one sector.
 */
export function isoImage(label: string, files: Record<string, Buffer>): Buffer {
  const contents = Object.values(files);
  let next = AT.files;
  const placed = Object.keys(files).map((name, index) => {
    const content = contents[index]!;
    const sector = next;
    next += Math.ceil(content.length / SECTOR);
    return { name, sector, size: content.length };
  });
  const root = (naming: Naming, sector: number) => {
    const entries = placed.map(({ name, ...place }) => ({ ...place, name: naming.fileName(name) }));
    return rootDirectory(
      sector,
      entries.sort((a, b) => Buffer.compare(a.name, b.name)),
    );
  };
  const [plainRoot, jolietRoot] = [AT.roots, AT.roots + 1];
  return Buffer.concat([
    Buffer.alloc(AT.descriptors * SECTOR),
    descriptor(PLAIN, label, next, AT.paths, plainRoot),
    descriptor(JOLIET, label, next, AT.paths + 2, jolietRoot),
    TERMINATOR,
    ...[pathTable(plainRoot, false), pathTable(plainRoot, true)],
    ...[pathTable(jolietRoot, false), pathTable(jolietRoot, true)],
    ...[root(PLAIN, plainRoot), root(JOLIET, jolietRoot)],
    ...contents.map(padded),
  ]);
}
