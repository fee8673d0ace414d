import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { listenOnSocket, operatorSocket } from '../../server/http/operator/listen-on-socket.ts';
import { ConfigError } from '../../server/platform/config-error.ts';
import { defer } from '../support/cleanup.ts';
import { exchange, temporaryDirectory } from './support.ts';

function greeter(t: Parameters<typeof defer>[0], greeting: string): FastifyInstance {
  const app = Fastify();
  app.get('/', async () => greeting);
  defer(t, () => app.close());
  return app;
}

test('the socket is for its owner only, from the moment that it exists', async (t) => {
  const path = operatorSocket(await temporaryDirectory(t));
  const umask = process.umask(0);
  defer(t, () => process.umask(umask));
  const app = greeter(t, 'hello');
  const modes: number[] = [];
  const { listen } = app.server;
  app.server.listen = ((...args: Parameters<typeof listen>) => {
    const result = listen.apply(app.server, args);
    modes.push(lstatSync(path).mode & 0o777);
    return result;
  }) as typeof listen;
  await listenOnSocket(app, path);
  assert.deepEqual(modes, [0o600]);
  assert.equal(process.umask(), 0, 'the umask is as it was');
  assert.equal((await exchange(path, 'GET', '/')).text, 'hello');
});

test('the data directory is created if it is missing, and the socket is removed at the end', async (t) => {
  const path = operatorSocket(join(await temporaryDirectory(t), 'data'));
  const app = greeter(t, 'hello');
  await listenOnSocket(app, path);
  await app.close();
  assert.equal(existsSync(path), false);
});

test('the socket of a dead process is replaced', async (t) => {
  const path = operatorSocket(await temporaryDirectory(t));
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(lstatSync(path).isSocket(), 'the dead process left its socket');
  await listenOnSocket(greeter(t, 'second'), path);
  assert.equal((await exchange(path, 'GET', '/')).text, 'second');
});

test('a live socket is refused and keeps working', async (t) => {
  const path = operatorSocket(await temporaryDirectory(t));
  await listenOnSocket(greeter(t, 'first'), path);
  await assert.rejects(listenOnSocket(greeter(t, 'second'), path), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(
      error.message,
      `${path}: another process is listening there; is the service already running?`,
    );
    return true;
  });
  assert.equal((await exchange(path, 'GET', '/')).text, 'first');
});

test('a file that is no socket is left unchanged', async (t) => {
  const path = operatorSocket(await temporaryDirectory(t));
  await writeFile(path, 'precious');
  await assert.rejects(listenOnSocket(greeter(t, 'hello'), path), /blocks the operator/);
  assert.ok(lstatSync(path).isFile());
});

test('a path that the system cannot hold is refused with the reason', async (t) => {
  const directory = await temporaryDirectory(t);
  const longest = join(directory, 'é'.repeat(100)).slice(0, 107);
  const padded = (bytes: number) => {
    const rest = bytes - Buffer.byteLength(`${directory}/`) - '/vauban.sock'.length;
    return operatorSocket(join(directory, 'x'.repeat(rest)));
  };
  await listenOnSocket(greeter(t, 'fits'), padded(107));
  assert.equal((await exchange(padded(107), 'GET', '/')).text, 'fits');
  await assert.rejects(
    listenOnSocket(greeter(t, 'does not'), padded(108)),
    /VAUBAN_DATA_DIR: .* 108 bytes; the system allows 107/,
  );
  await assert.rejects(listenOnSocket(greeter(t, 'bytes, not characters'), longest), ConfigError);
});
