// The thread that the embedded engine lives on: see `pglite-engine.ts`, which starts it with the data directory as its
// data, sends it PostgreSQL's wire protocol, and gets one answer for each message: the first when it is open.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { blankDatabase } from './pglite-blank.ts';

/**
 * What the engine keeps of its files in this process's memory, all of it from the start. The system's own cache of
 * them is one copy away, so more than this buys little; the engine's default takes 128 MB.
 */
const SHARED_BUFFERS = '32MB';

function createEngine(dataDir?: string, loadDataDir?: Blob): Promise<PGlite> {
  return PGlite.create({
    dataDir,
    loadDataDir,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  });
}

async function openIn(directory: string): Promise<PGlite> {
  // A process that was killed while it made the database leaves a part of one, which could never be opened.
  const unfinished = `${directory}.unfinished`;
  if (existsSync(unfinished)) await rm(directory, { recursive: true, force: true });
  // PGlite writes its files readable by everybody; the directory is what keeps others out.
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!made) return createEngine(directory);
  await writeFile(unfinished, '');
  const pg = await createEngine(directory, await blankDatabase());
  await rm(unfinished);
  return pg;
}

const directory: string | undefined = workerData;
const pg = await (directory === undefined ? createEngine() : openIn(directory));
const port = parentPort!;
port.on('message', async (request: Uint8Array | 'close') => {
  if (request === 'close') {
    await pg.close();
    port.close();
    return;
  }
  // Nothing is to be synced: the files are written through, as by any PostgreSQL.
  const answer = await pg.execProtocolRaw(request, { syncToFs: false });
  port.postMessage(answer, [answer.buffer as ArrayBuffer]);
});
port.postMessage(new Uint8Array());
