import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { loadLook } from '../../server/documents/look.ts';
import { defer } from '../support/cleanup.ts';

/** Returns an opaque PNG of one colour, with a comment of `more` bytes. */
function png(width: number, height: number, more = 0): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('tEXt', Buffer.alloc(more)),
    chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + 3 * width)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function lookOf(t: TestContext, file: Buffer) {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-logo-'));
  defer(t, () => rm(directory, { recursive: true }));
  const documentLogo = join(directory, 'logo.png');
  await writeFile(documentLogo, file);
  return loadLook(
    { documentLogo, documentFont: undefined },
    { logo: null, light: { color: '#2563c4', text: '#ffffff' } },
  );
}

test('a logo that would take the time or the space of a photo on each document is refused', async (t) => {
  assert.ok((await lookOf(t, png(1_500, 466))).logo);
  await assert.rejects(lookOf(t, png(1_501, 1_500)), /VAUBAN_DOCUMENT_LOGO: .* 1501 × 1500 pixels/);
  await assert.rejects(lookOf(t, png(100, 100, 300_000)), /VAUBAN_DOCUMENT_LOGO: .* 256 KB/);
});

test('a logo of the panel that is too large for documents is left out of them', async () => {
  const look = (width: number, height: number) =>
    loadLook(
      { documentLogo: undefined, documentFont: undefined },
      {
        logo: { type: 'image/png', hash: '', bytes: png(width, height) },
        light: { color: '#2563c4', text: '#ffffff' },
      },
    );
  assert.ok((await look(300, 100)).logo);
  assert.equal((await look(1_501, 1_500)).logo, null);
});
