import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { type ArchivedFile, tarGz } from '../../server/platform/tar.ts';
import { missingDocuments } from '../../vaubanctl/missing-documents.ts';
import { defer } from '../support/cleanup.ts';

test('vaubanctl reads from an archive which documents it lacks', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-archive-'));
  defer(t, () => rm(directory, { recursive: true }));
  const lines = Array.from({ length: 40 }, (_, n) => `INV-${n}.pdf: it took too long`);
  const at = new Date(0);
  for (const missing of [[], lines.slice(0, 1), lines]) {
    const files = async function* (): AsyncGenerator<ArchivedFile> {
      yield { name: '2026-01/INV-9.pdf', content: Buffer.alloc(200_000, 'MISSING.txt'), at };
      yield { name: '2026-01/INV-9.xml.txt', content: Buffer.from('none\n'), at };
      if (missing.length > 0)
        yield { name: '2026-01/MISSING.txt', content: Buffer.from(`${missing.join('\n')}\n`), at };
    };
    const path = join(directory, 'archive');
    await pipeline(tarGz(files()), createWriteStream(path));
    assert.deepEqual(await missingDocuments(path), missing);
  }
});
