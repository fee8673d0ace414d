import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { monthFiles } from '../../server/domain/billing/month-archive.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { type ArchivedFile, tarGz } from '../../server/platform/tar.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';
import { issueInvoices } from '../support/issue.ts';
import { SELLER } from './support/samples.ts';
import { profile, sell, setProfile, termsFor } from './support/seller.ts';

const JANUARY = new Date('2026-01-01T00:00:00Z');
const AT = new Date('2026-02-01T00:10:00Z');
const MEGABYTE = 1_000_000;

/** Creates `count` accounts with one issued invoice each. */
async function shop(t: TestContext, count: number) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-05T00:00:00Z');
  for (let n = 0; n < count; n++) {
    const accountId = await fundedAccount(db, clock, 10_000n);
    await setProfile(db, clock, accountId, profile());
    await sell(db, clock, await storedVm(db, clock, accountId), [999n], termsFor(profile()));
  }
  await issueInvoices(db, AT, count, SELLER);
  return { db, clock };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the names and contents of a tar file, using the sizes in its headers. */
function filesOf(tar: Buffer): [string, string][] {
  const files: [string, string][] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar.toString('latin1', at + from, at + from + length).split('\0', 1)[0]!;
    const size = Number.parseInt(text(124, 12), 8);
    files.push([text(0, 100), tar.toString('utf8', at + 512, at + 512 + size)]);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

test('a tar file has names, contents and sizes, and ends with two empty blocks', async () => {
  async function* files(): AsyncGenerator<ArchivedFile> {
    yield { name: 'a/empty', content: Buffer.alloc(0), at: AT };
    yield { name: 'a/b', content: Buffer.from('b'.repeat(513)), at: AT };
    yield { name: 'c', content: Buffer.from('c'.repeat(512)), at: AT };
  }
  const tar = gunzipSync(Buffer.concat(await collect(tarGz(files()))));
  assert.deepEqual(filesOf(tar), [
    ['a/empty', ''],
    ['a/b', 'b'.repeat(513)],
    ['c', 'c'.repeat(512)],
  ]);
  assert.equal(tar.length, 512 * (1 + 1 + 2 + 1 + 1 + 2));
  assert.ok(tar.subarray(-1_024).every((byte) => byte === 0));
});

test('documents are made as the archive is read, and stop when its reader has left', async (t) => {
  const { db, clock } = await shop(t, 12);
  let made = 0;
  const documents = {
    render: async () => {
      made++;
      return randomBytes(MEGABYTE);
    },
  };
  const archive = tarGz(monthFiles({ db, clock, documents }, JANUARY));
  let read = 0;
  let largest = 0;
  for await (const piece of archive) {
    read += (piece as Buffer).length;
    // Produced but not read yet: the file that is being compressed, and the buffers of the streams.
    largest = Math.max(largest, made * MEGABYTE - read);
    if (read > 6 * MEGABYTE) break;
  }
  assert.ok(largest < 3 * MEGABYTE, `${largest} bytes were waiting`);
  assert.ok(made < 10, `${made} of 24 files were made`);
});

test('the archive waits while the queue is full, and says why a file is missing', async (t) => {
  const { db, clock } = await shop(t, 1);
  let asked = 0;
  const documents = {
    render: async (_: string, __: unknown, format: string) => {
      asked++;
      if (asked <= 3) {
        queueMicrotask(() => setImmediate(() => clock.advance(5_000)));
        throw new ApiError('service_unavailable', 'Too many documents are being requested. Try again later.');
      }
      if (format === 'xml') throw new ApiError('document_unavailable', 'It has no XML.');
      return Buffer.from('a document');
    },
  };
  const files = await collect(monthFiles({ db, clock, documents }, JANUARY));
  assert.deepEqual(
    files.map(({ name, content, at }) => [name, content.toString(), at]),
    [
      ['2026-01/INV-000001.pdf', 'a document', AT],
      ['2026-01/INV-000001.xml.txt', 'It has no XML.\n', AT],
    ],
  );
});

test('the archive has all other documents if one cannot be made, and a text that names it', async (t) => {
  const { db, clock } = await shop(t, 3);
  const documents = {
    render: async (_: string, { number }: { number: string | null }, format: string) => {
      if (number === 'INV-000002' && format === 'pdf') throw new Error('out of memory');
      return Buffer.from('a document');
    },
  };
  const files = await collect(monthFiles({ db, clock, documents }, JANUARY));
  const made = ['3.pdf', '3.xml', '2.xml', '1.pdf', '1.xml'].map((name) => `2026-01/INV-00000${name}`);
  assert.deepEqual(
    files.map(({ name }) => name),
    [...made, '2026-01/MISSING.txt'],
  );
  assert.equal(files.at(-1)!.content.toString(), 'INV-000002.pdf: out of memory\n');
});
