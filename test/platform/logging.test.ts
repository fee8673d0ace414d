import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import fastify from 'fastify';
import { createLogger } from '../../server/platform/logging.ts';

const KEY = 'vk_4Zt0bqGk1mXw8RrE2yVn5Qp7Lc9Hd3Js6AB';
const SECRET = 'hunter2-Correct.Horse';

function capture() {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'trace' }, { write: (line) => void lines.push(line) });
  return { logger, lines, text: () => lines.join('') };
}

function assertClean(text: string) {
  assert.ok(!text.includes(KEY), text);
  assert.ok(!text.includes(SECRET), text);
}

test('the secrets of consoles are removed wherever they stand', () => {
  const { logger, text } = capture();
  for (const prefix of ['vct', 'vcs']) {
    const secret = `${prefix}_q0hE2u6tTtC7b8y0zJ1mW3rXv5nA9cKdLfPgSiU-_eQ`;
    logger.info({ url: `/share/shr_1#${secret}`, protocols: ['binary', secret] }, secret);
    assert.ok(!text().includes('q0hE2u6t'), text());
    assert.ok(text().includes(`${prefix}_[redacted]`));
  }
});

test('an ordinary line passes unchanged, as JSON with a level and an instant', () => {
  const { logger, lines } = capture();
  logger.info({ vm: 'vm_1' }, 'started');
  const line = JSON.parse(lines[0]!);
  assert.deepEqual([line.level, line.vm, line.msg], ['info', 'vm_1', 'started']);
  assert.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
});

for (const name of [
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'password',
  'initial_password',
  'token',
  'accessToken',
  'ticket',
  'secret',
  'client_secret',
  'api_key',
  'apiKey',
  'x-api-key',
  'secretKey',
  'private_key',
  'user_data',
]) {
  test(`the value of ${name} is redacted at any depth and of any type`, () => {
    const { logger, lines, text } = capture();
    logger.info({ [name]: SECRET });
    logger.info({ a: { b: [{ c: { d: { e: { [name]: SECRET } } } }] } });
    logger.info({ a: { [name]: { value: SECRET, list: [SECRET] } } });
    logger.child({ context: { [name]: SECRET } }).warn('with bindings');
    logger.error(Object.assign(new Error('with fields'), { request: { [name]: SECRET } }));
    logger.info(JSON.stringify({ body: { [name]: SECRET } }));
    logger.info(JSON.stringify(JSON.stringify({ [name]: SECRET, rest: 'kept' })));
    logger.info(inspect({ [name]: SECRET }));
    logger.info('body: %o', { [name]: SECRET });
    assert.equal(lines.length, 9);
    assertClean(text());
    assert.ok(lines.every((line) => line.includes('[redacted]') && line.endsWith('}\n')));
  });
}

test('a key is masked wherever it stands', () => {
  const { logger, text } = capture();
  const error = new Error(`no such key ${KEY}`, { cause: new Error(`caused by ${KEY}`) });
  logger.info(`key ${KEY}`);
  logger.info('key %s', KEY);
  logger.info({ url: `/v1/vm?key=${KEY}`, percent: `/v1/vm?x=${KEY.replace('_', '%5F')}` });
  logger.info({ rawHeaders: ['X', `Bearer ${KEY}`], nested: { [KEY]: 1, deep: [[KEY]] } });
  logger.error(error);
  logger.error({ err: error, context: error.stack });
  logger.error({ err: new AggregateError([error], KEY) });
  logger.child({ caller: KEY }).info({ req: { headers: { authorization: `Bearer ${KEY}` } } });
  assertClean(text());
});

test('secrets of URLs and headers are masked inside a text', () => {
  const { logger, text } = capture();
  logger.info({
    url: `/v1/console?ticket=${SECRET}&token=${SECRET}#x`,
    ws: `wss://h/ssh?cols=80&token=${SECRET}`,
  });
  logger.info(`connecting to postgres://vauban:${SECRET}@db.example.com/vauban`);
  logger.info(`Authorization: Bearer ${SECRET}`);
  assertClean(text());
  assert.match(text(), /cols=80/);
  assert.match(text(), /@db\.example\.com\/vauban/);
});

test('words that only sound like a secret stay readable', () => {
  const { logger, lines } = capture();
  logger.info(
    { initial_password: null, secret: true, key_id: 'apk_1', token_count: 3 },
    'bearer token required: none given',
  );
  const line = JSON.parse(lines[0]!);
  assert.deepEqual(
    [line.initial_password, line.secret, line.key_id, line.token_count, line.msg],
    [null, true, 'apk_1', 3, 'bearer token required: none given'],
  );
});

test('every log line is JSON and contains no secret', () => {
  const secrets = fc.constantFrom(KEY, `x ${KEY} "y`, `\\"${KEY}`, { password: SECRET }, [
    { token: [SECRET] },
  ]);
  const anything = fc.object({ values: [fc.string(), fc.double(), fc.constant(null), secrets], maxDepth: 4 });
  fc.assert(
    fc.property(anything, fc.string(), (value, message) => {
      const { logger, lines } = capture();
      logger.info({ value }, `${message}${KEY}`);
      assert.doesNotThrow(() => JSON.parse(lines[0]!));
      assertClean(lines[0]!);
    }),
    { numRuns: 500 },
  );
});

test('requests that Fastify logs are clean', async () => {
  const { logger, lines, text } = capture();
  const app = fastify({ loggerInstance: logger });
  app.get('/', (request) => {
    request.log.info({ headers: request.headers, query: request.query });
    throw new Error(`failed for ${KEY}`);
  });
  await app.inject({
    url: `/?ticket=${SECRET}&key=${KEY}`,
    headers: { authorization: `Bearer ${KEY}`, cookie: SECRET },
  });
  await app.close();
  assert.ok(lines.length >= 3);
  assertClean(text());
});

test('buffered lines are written when the process exits', () => {
  const logging = new URL('../../server/platform/logging.ts', import.meta.url).href;
  const program = `
    import { createLogger } from ${JSON.stringify(logging)};
    const logger = createLogger({ logLevel: 'info' });
    for (let i = 0; i < 2000; i++) logger.info({ i }, 'line');
    process.exit(0);
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 2000);
  assert.equal(JSON.parse(lines[1999]!).i, 1999);
});

for (const [way, end] of [
  ['has nothing more to do', ''],
  ['exits', 'process.exit();'],
  ['fails', "throw new Error('as a mistake would');"],
]) {
  test(`all lines of a process that ${way} are written, in their order`, () => {
    const { stdout } = runLogging(
      `for (let line = 0; line < 1_000; line++) logger.info({ line }, 'told'); ${end}`,
    );
    const lines = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text).line);
    assert.deepEqual(
      lines,
      Array.from({ length: 1_000 }, (_, line) => line),
    );
  });
}

test('a line is written while its process keeps running', async (t) => {
  const script = loggingScript("logger.info('here'); setInterval(() => {}, 1_000_000);");
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [bytes] = await once(child.stdout, 'data');
  assert.equal(JSON.parse(bytes.toString()).msg, 'here');
});

test('a line that comes while one before it is being written is not left behind', async (t) => {
  const script = loggingScript(
    "logger.info('x'.repeat(1_000_000)); setTimeout(() => { logger.info('here'); setTimeout(() => console.error('told'), 100); }, 100); setInterval(() => {}, 1_000_000);",
  );
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  t.after(() => child.kill('SIGKILL'));
  // Nothing of the first line is read until the program has tried to write the second: the first is larger than a
  // pipe's buffer.
  await once(child.stderr, 'data');
  let text = '';
  for await (const bytes of child.stdout) {
    text += bytes;
    if (text.endsWith('"here"}\n')) break;
  }
  assert.equal(text.trim().split('\n').length, 2);
});

/** Returns a program that logs to its standard output. */
function loggingScript(work: string): string {
  const module = JSON.stringify(new URL('../../server/platform/logging.ts', import.meta.url).href);
  return `const { createLogger } = await import(${module}); const logger = createLogger({ logLevel: 'info' }); ${work}`;
}

function runLogging(work: string) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', loggingScript(work)], {
    encoding: 'utf8',
  });
}
