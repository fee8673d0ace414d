import ssh2, { type FileEntry, type SFTPWrapper } from 'ssh2';
import { SerialQueue } from '../../../../platform/serial-queue.ts';
import { type Entry, FileError } from '../system/entry.ts';
import type { FileWriter } from '../system/file-writer.ts';
import { absolute } from '../system/paths.ts';
import type { System } from '../system/system.ts';
import { handleNumber, type OpenFile, openForReading, readAt } from './sftp-files.ts';

const { STATUS_CODE: STATUS, OPEN_MODE } = ssh2.utils.sftp;
const MAX_HANDLES = 64;
/** Maximum bytes of one READ; clients ask for half of it. */
const MAX_READ = 65_536;
/**
 * Limit of unanswered requests and untaken answers together, beyond which the session ends. Clients keep 64 requests in
 * flight.
 */
const MAX_UNANSWERED = 256;
const DIRECTORY_BIT = 0o040_000;
const FILE_BIT = 0o100_000;
const PERMISSION_BITS = 0o7777;

type Reply = (sftp: SFTPWrapper, id: number) => void;

/** Internals of the library's SFTP channel, which it exposes for other channels: the channel itself and its unsent data. */
interface Underneath {
  _protocol: { exitStatus(channel: number, status: number): void };
  _buffer: Buffer[];
  outgoing: { id: number; state: string };
}

function attributesOf({ kind, mode, owner, size, modifiedAt }: Entry) {
  const seconds = Math.floor(modifiedAt / 1000);
  const number = owner === 'root' ? 0 : 1000;
  const type = kind === 'directory' ? DIRECTORY_BIT : FILE_BIT;
  return { mode: type | mode, uid: number, gid: number, size, atime: seconds, mtime: seconds };
}

const ok: Reply = (sftp, id) => sftp.status(id, STATUS.OK);

/** Serves the guest's files to a client over the SFTP protocol, with the permissions of `user`. */
export class SftpServer {
  readonly #system: System;
  readonly #user: string;
  readonly #home: string;
  readonly #open = new Map<number, OpenFile>();
  #next = 0;

  constructor(sftp: SFTPWrapper, system: System, user: string) {
    this.#system = system;
    this.#user = user;
    this.#home = user === 'root' ? '/root' : `/home/${user}`;
    const answer = this.#answering(sftp);
    const { files } = system;
    const stat = async (path: string): Promise<Reply> => {
      const attributes = attributesOf(files.need(this.#path(path), user));
      return (to, id) => to.attrs(id, attributes);
    };
    const real = async (path: string): Promise<Reply> => {
      const entry = named(this.#path(path));
      return (to, id) => to.name(id, [entry]);
    };
    sftp.on('REALPATH', (id, path) => answer(id, () => real(path)));
    sftp.on('STAT', (id, path) => answer(id, () => stat(path)));
    sftp.on('LSTAT', (id, path) => answer(id, () => stat(path)));
    sftp.on('FSTAT', (id, handle) => answer(id, async () => stat(this.#handle(handle).path)));
    sftp.on('SETSTAT', (id, path, { mode }) => answer(id, () => this.#setMode(this.#path(path), mode)));
    sftp.on('FSETSTAT', (id) => answer(id, async () => ok));
    sftp.on('OPEN', (id, path, flags) => answer(id, () => this.#openFile(this.#path(path), flags)));
    sftp.on('READ', (id, handle, at, length) =>
      answer(id, () => this.#read(this.#handle(handle), at, length)),
    );
    sftp.on('WRITE', (id, handle, at, bytes) =>
      answer(id, async () => this.#write(this.#handle(handle).writer, at, bytes)),
    );
    sftp.on('CLOSE', (id, handle) => answer(id, () => this.#close(handleNumber(handle))));
    sftp.on('OPENDIR', (id, path) => answer(id, async () => this.#openDirectory(this.#path(path))));
    sftp.on('READDIR', (id, handle) => answer(id, async () => this.#readDirectory(this.#handle(handle))));
    sftp.on('MKDIR', (id, path) => answer(id, () => files.mkdir(this.#path(path), user).then(() => ok)));
    const remove = (path: string) => files.remove(this.#path(path), user).then(() => ok);
    sftp.on('REMOVE', (id, path) => answer(id, () => remove(path)));
    sftp.on('RMDIR', (id, path) => answer(id, () => remove(path)));
    sftp.on('RENAME', (id, from, to) =>
      answer(id, () => files.move(this.#path(from), this.#path(to), user).then(() => ok)),
    );
  }

  /** Answers requests one after the other, in the order the client sent them. Ends the session after the last one. */
  #answering(sftp: SFTPWrapper): (id: number, work: () => Promise<Reply>) => void {
    const underneath = sftp as unknown as Underneath;
    const queue = new SerialQueue();
    queue.run(() => this.#system.refresh()).catch(() => {});
    sftp.once('end', () => queue.run(() => end(sftp, underneath)));
    return (id, work) => {
      if (queue.size + underneath._buffer.length >= MAX_UNANSWERED) return sftp.destroy();
      void queue.run(async () => {
        try {
          (await work())(sftp, id);
        } catch (error) {
          sftp.status(id, codeOf(error), error instanceof FileError ? error.message : 'Failure');
        }
      });
    };
  }

  #path(path: string): string {
    return absolute(this.#home, path);
  }

  #handle(handle: Buffer): OpenFile {
    const open = this.#open.get(handleNumber(handle));
    if (!open) throw new FileError('Bad file descriptor');
    return open;
  }

  #begin(open: OpenFile): Reply {
    if (this.#open.size >= MAX_HANDLES) throw new FileError('Too many open files');
    const number = this.#next++;
    this.#open.set(number, open);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(number);
    return (sftp, id) => sftp.handle(id, handle);
  }

  async #openFile(path: string, flags: number): Promise<Reply> {
    const { files } = this.#system;
    await this.#system.refresh();
    if (flags & OPEN_MODE.WRITE) {
      const writer = await files.write(path, this.#user, (flags & OPEN_MODE.TRUNC) === 0);
      return this.#begin({ path, writer });
    }
    return this.#begin(await openForReading(files, path, this.#user));
  }

  async #read(open: OpenFile, at: number, length: number): Promise<Reply> {
    const bytes = readAt(open, at, Math.min(length, MAX_READ));
    // Yields, because generating content never waits for anything and would otherwise block other work.
    await new Promise(setImmediate);
    return bytes.length > 0 ? (sftp, id) => sftp.data(id, bytes) : (sftp, id) => sftp.status(id, STATUS.EOF);
  }

  #write(writer: FileWriter | undefined, at: number, bytes: Buffer): Reply {
    if (!writer) throw new FileError('Bad file descriptor');
    writer.writeAt(at, bytes);
    return ok;
  }

  async #close(number: number): Promise<Reply> {
    const open = this.#open.get(number);
    this.#open.delete(number);
    await open?.writer?.close();
    return ok;
  }

  async #setMode(path: string, mode: number | undefined): Promise<Reply> {
    if (mode !== undefined) await this.#system.files.setMode(path, mode & PERMISSION_BITS, this.#user);
    return ok;
  }

  #openDirectory(path: string): Reply {
    if (this.#system.files.need(path, this.#user).kind !== 'directory')
      throw new FileError('Not a directory');
    const entries = this.#system.files.list(path).map((name) => {
      const entry = this.#system.files.stat(absolute(path, name))!;
      return { filename: name, longname: name, attrs: attributesOf(entry) };
    });
    return this.#begin({ path, entries });
  }

  #readDirectory(open: OpenFile): Reply {
    const entries = open.entries?.splice(0);
    if (!entries || entries.length === 0) return (sftp, id) => sftp.status(id, STATUS.EOF);
    return (sftp, id) => sftp.name(id, entries as FileEntry[]);
  }
}

/** Ends the subsystem as a real server does: without an exit status, a client considers its transfer failed. */
function end(sftp: SFTPWrapper, { _protocol, outgoing }: Underneath): void {
  if (outgoing.state === 'open') _protocol.exitStatus(outgoing.id, 0);
  sftp.end();
}

function named(path: string): FileEntry {
  return { filename: path, longname: path, attrs: {} } as unknown as FileEntry;
}

function codeOf(error: unknown): number {
  if (!(error instanceof FileError)) return STATUS.FAILURE;
  if (error.message.startsWith('No such file')) return STATUS.NO_SUCH_FILE;
  return error.message.startsWith('Permission') ? STATUS.PERMISSION_DENIED : STATUS.FAILURE;
}
