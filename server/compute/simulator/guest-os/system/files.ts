import { type Entry, FileError } from './entry.ts';
import { FileWriter } from './file-writer.ts';
import { generated, zeros } from './generated.ts';
import { type ImageFile, imageOf } from './image.ts';
import { absolute, isWithin, nameOf, parentOf } from './paths.ts';
import type { System } from './system.ts';

/** A guest's disk is for trying things out, not for storage. */
export const MAX_FILES = 1000;
/** Limits the size of a row per file, and with it a session's memory. */
export const MAX_KEPT_FILE_BYTES = 1_048_576;
export const MAX_KEPT_BYTES = 8 * MAX_KEPT_FILE_BYTES;

/** The file system of a guest: the image's files, overlaid with later writes. */
export class Files {
  readonly #system: System;
  #image: Map<string, ImageFile> | undefined;
  #over = new Map<string, Entry>();

  constructor(system: System) {
    this.#system = system;
  }

  /** Sets the overlay that was read from the store. */
  show(over: Map<string, Entry>): void {
    this.#over = over;
    this.#image = undefined;
  }

  get #base(): Map<string, ImageFile> {
    this.#image ??= imageOf(this.#system);
    return this.#image;
  }

  stat(path: string): Entry | undefined {
    const over = this.#over.get(path);
    if (over) return over.kind === 'gone' ? undefined : over;
    return this.#base.get(path);
  }

  /** Returns the entry at `path`. Throws {@link FileError} if `user` may not see it or it does not exist. */
  need(path: string, user: string): Entry {
    for (let up = path; up !== '/'; ) {
      up = parentOf(up);
      const above = this.stat(up);
      if (above && above.kind !== 'directory') throw new FileError('Not a directory');
      if (above && user !== 'root' && above.owner !== user && !(above.mode & 0o001)) {
        throw new FileError('Permission denied');
      }
    }
    const entry = this.stat(path);
    if (!entry) throw new FileError('No such file or directory');
    return entry;
  }

  /** Returns the names in a directory, sorted. */
  list(directory: string): string[] {
    const names = new Set<string>();
    for (const path of this.#paths())
      if (path !== '/' && parentOf(path) === directory) names.add(nameOf(path));
    return [...names].sort();
  }

  /** Returns `root` and everything below it, sorted. */
  tree(root: string): string[] {
    return [...new Set(this.#paths())].filter((path) => isWithin(root, path)).sort();
  }

  *#paths(): Generator<string> {
    for (const path of this.#base.keys()) if (!this.#over.has(path)) yield path;
    for (const [path, { kind }] of this.#over) if (kind !== 'gone') yield path;
  }

  /** Returns the bytes used in addition to the image. */
  bytes(): number {
    let sum = 0;
    for (const { size } of this.#over.values()) sum += size;
    for (const [path, file] of this.#base) if (file.counts && !this.#over.has(path)) sum += file.size;
    return sum;
  }

  /** Yields the content in chunks. For a file too large to store, that is generated text of the same size. */
  async *read(path: string, user: string, from = 0): AsyncGenerator<Buffer> {
    const entry = this.need(path, user);
    if (entry.kind === 'directory') throw new FileError('Is a directory');
    if (user !== 'root' && entry.owner !== user && !(entry.mode & 0o004))
      throw new FileError('Permission denied');
    const text = this.#over.has(path) ? undefined : this.#base.get(path)?.text;
    if (path === '/dev/zero') yield* zeros();
    else if (text) yield Buffer.from(text()).subarray(from);
    else if (entry.kept) {
      const content = await this.#system.store.readContent(this.#system.id, path);
      if (content && content.length > from) yield content.subarray(from);
    } else yield* generated(entry.size, from);
  }

  /** Opens a file for writing. The change takes effect when the writer is closed. */
  async write(path: string, user: string, append: boolean): Promise<FileWriter> {
    const old = this.stat(path);
    if (old?.kind === 'directory') throw new FileError('Is a directory');
    this.mayWrite(path, user);
    const kept = append && old ? await this.#whole(path, user, old) : Buffer.alloc(0);
    return new FileWriter({
      size: append && old ? old.size : 0,
      start: kept,
      room: () => this.#room() + (old?.size ?? 0),
      keeps: (size) => size <= MAX_KEPT_FILE_BYTES && this.#keptBytes() + size <= MAX_KEPT_BYTES,
      save: (size, content) =>
        this.#put(
          path,
          {
            ...this.#fresh(user),
            ...old,
            kind: 'file',
            size,
            kept: content !== null,
            modifiedAt: this.#system.now(),
          },
          content,
        ),
    });
  }

  async #whole(path: string, user: string, { size }: Entry): Promise<Buffer | null> {
    if (size > MAX_KEPT_FILE_BYTES) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of this.read(path, user)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Throws unless `user` may create or change `path`. */
  mayWrite(path: string, user: string): void {
    const parent = this.need(parentOf(path), user);
    if (parent.kind !== 'directory') throw new FileError('Not a directory');
    const entry = this.stat(path);
    const held = entry ?? parent;
    const others = held.mode & 0o002;
    if (user !== 'root' && held.owner !== user && !others) throw new FileError('Permission denied');
    if (!entry && this.#over.size >= MAX_FILES) throw new FileError('Disk quota exceeded');
  }

  #mayRemove(path: string, user: string): void {
    const parent = this.need(parentOf(path), user);
    const entry = this.need(path, user);
    const sticky = parent.mode & 0o1000 && entry.owner !== user;
    if (user !== 'root' && (sticky || (parent.owner !== user && !(parent.mode & 0o002)))) {
      throw new FileError('Permission denied');
    }
  }

  #fresh(user: string): Entry {
    return { kind: 'file', owner: user, mode: 0o644, size: 0, modifiedAt: this.#system.now(), kept: true };
  }

  #room(): number {
    const { total, used } = this.#system.disk();
    return total - used;
  }

  #keptBytes(): number {
    let sum = 0;
    for (const entry of this.#over.values()) if (entry.kept) sum += entry.size;
    return sum;
  }

  async #put(path: string, entry: Entry, content?: Buffer | null): Promise<void> {
    await this.#system.store.writeEntry(this.#system.id, path, entry, content);
    this.#over.set(path, entry);
  }

  async mkdir(path: string, user: string): Promise<void> {
    if (this.stat(path)) throw new FileError('File exists');
    this.mayWrite(path, user);
    await this.#put(path, { ...this.#fresh(user), kind: 'directory', mode: 0o755, size: 4096 });
  }

  /** Updates a file's time, or creates an empty file. */
  async touch(path: string, user: string): Promise<void> {
    const entry = this.stat(path);
    if (!entry) return (await this.write(path, user, false)).close();
    this.mayWrite(path, user);
    await this.#alter(path, { modifiedAt: this.#system.now() }, user);
  }

  /** Changes an entry's attributes. A file of the image is copied first. */
  async #alter(path: string, change: Partial<Entry>, user: string): Promise<void> {
    const entry = this.need(path, user);
    const ofImage = !this.#over.has(path) && entry.kind === 'file';
    const content = ofImage ? await this.#whole(path, 'root', entry) : undefined;
    await this.#put(path, { ...entry, ...change, kept: ofImage ? content !== null : entry.kept }, content);
  }

  async setMode(path: string, mode: number, user: string): Promise<void> {
    if (user !== 'root' && this.need(path, user).owner !== user)
      throw new FileError('Operation not permitted');
    await this.#alter(path, { mode }, user);
  }

  async setOwner(path: string, owner: string, user: string): Promise<void> {
    if (user !== 'root') throw new FileError('Operation not permitted');
    await this.#alter(path, { owner }, user);
  }

  /** Removes a file, or a directory with its content. */
  async remove(path: string, user: string): Promise<void> {
    this.#mayRemove(path, user);
    const paths = this.tree(path);
    await this.#system.store.deleteEntries(this.#system.id, paths);
    for (const one of paths) {
      this.#over.delete(one);
      if (!this.#base.has(one)) continue;
      await this.#put(one, { ...this.#fresh('root'), kind: 'gone', kept: false });
    }
  }

  /** Renames a file, or a directory with its content. */
  async move(from: string, to: string, user: string): Promise<void> {
    this.#mayRemove(from, user);
    this.mayWrite(to, user);
    if (isWithin(from, to)) throw new FileError('Invalid argument');
    for (const path of this.tree(from)) {
      await this.#alter(path, {}, 'root');
      const target = absolute(to, `.${path.slice(from.length)}`);
      const entry = this.stat(path)!;
      await this.#system.store.moveEntry(this.#system.id, path, target);
      this.#over.delete(path);
      this.#over.set(target, entry);
      if (this.#base.has(path)) await this.#put(path, { ...this.#fresh('root'), kind: 'gone', kept: false });
    }
  }
}
