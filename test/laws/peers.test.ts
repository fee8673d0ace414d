import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeLines, read, sources } from '../support/source.ts';

/**
 * Files that may call JSON.parse, each with the author of its text: texts from a peer are parsed within bounds by
 * `parseJson`.
 */
const OWN_TEXTS: Record<string, string> = {
  'server/platform/peer/json.ts': 'the bounded parse itself',
  'server/platform/readable-log.ts': 'a line of our own log',
  'server/platform/redaction.ts': 'a line of our own log',
  'server/http/on-record.ts': 'a line of our own log',
  'server/http/validation.ts': 'a schema of ours',
  'server/http/body-parser.ts': 'a body that was measured',
  'server/mail/sender.ts': 'values that we have sealed',
  'server/mail/owners.ts': 'values that we have sealed',
  'server/consoles/messages.ts': "a viewer's message, of a bounded length and caught",
  'server/compute/incus/firewall.ts': 'a key that was just made',
  'server/compute/qemu/images/image-collection.ts': 'a record of an image in a directory of the service',
  'server/compute/qemu/images/image-store.ts': 'a record of an image in a directory of the service',
};

const server = sources('server').filter((path) => !path.startsWith('server/http/panel-site/'));

test('data from a peer is parsed within bounds', () => {
  const found = server.filter((path) => codeLines(path).some(({ text }) => /\bJSON\.parse\(/.test(text)));
  assert.deepEqual(
    found.filter((path) => !(path in OWN_TEXTS)),
    [],
  );
  const stale = Object.keys(OWN_TEXTS).filter((path) => !found.includes(path));
  assert.deepEqual(stale, [], 'exceptions that are no longer needed');
});

/** Handlers of events with a peer's data: an exception in one of them ends the process. */
const HANDLER =
  /\.(?:on|once|addListener|addEventListener)\(\s*'(?:data|line|message|notification|row|push)',\s*/g;
/** Calls that may throw for some input. Not after `await`: then the exception belongs to the promise. */
const PARSER =
  /\b(?:JSON\.parse|parse\w*|decode\w*|deserialize\w*|unmarshal\w*|fromBinary|structuredClone|read(?:U?Int|BigU?Int|Float|Double)\w*|decodeURI\w*)\(/;

/** Parsers that never throw: they return undefined for invalid input. */
const TOTAL = /\bparseResize\(/g;

/** Returns the text of the argument that begins at `from`, up to the bracket that closes the call. */
function argumentAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if ('([{'.includes(text[at]!)) depth++;
    else if (')]}'.includes(text[at]!) && --depth < 0) return text.slice(from, at);
  }
  return text.slice(from);
}

/**
 * Returns the body of a function or a method in the file, '' if it is not in the file; an async one throws in its
 * promise.
 */
function bodyOf(text: string, name: string): string {
  const plain = name.replace('#', '#?');
  const head = new RegExp(
    `^\\s*(?:export )?(?:function |const |private )?${plain}(?: = )?\\([^)]*\\)[^{;=]*(?:=> )?\\{`,
    'm',
  ).exec(text);
  return head ? argumentAt(text, head.index + head[0].length) : '';
}

/** Returns the code that runs in a handler: its own text, and the functions of the same file that it calls or names. */
function reached(text: string, handler: string): string {
  const seen = new Set<string>();
  let all = '';
  const take = (part: string, depth: number) => {
    // Caught exceptions are contained.
    const exposed = part.replaceAll(TOTAL, '(').replaceAll(/\btry \{[\s\S]*?\} catch/g, '');
    all += exposed;
    if (depth === 0) return;
    for (const [, name] of exposed.matchAll(/(?:this\.)?(#?\b[a-z]\w*)(?=\(|$|\))/g)) {
      if (seen.has(name!)) continue;
      seen.add(name!);
      take(bodyOf(text, name!), depth - 1);
    }
  };
  take(handler, 3);
  return all;
}

/** Returns the places where a peer's event reaches a parser without a catch. */
function exposedIn(text: string): string[] {
  return [...text.matchAll(HANDLER)].flatMap((match) => {
    const handler = argumentAt(text, match.index + match[0].length);
    if (/^(contained|readChunks)\(/.test(handler)) return [];
    const parser = PARSER.exec(reached(text, handler));
    return parser ? [`${match[0].trim()} … ${parser[0]}…)`] : [];
  });
}

test('no parser throws in an event of a peer', () => {
  const offences = server.flatMap((path) => exposedIn(read(path)).map((place) => `${path}: ${place}`));
  assert.deepEqual(offences, []);
});

test('the law finds its offences, and nothing else', () => {
  const exposed = [
    "socket.on('data', (bytes) => take(JSON.parse(String(bytes))));",
    "lines.on('line', (line) => {\n  const { event } = JSON.parse(line);\n});",
    "class A {\n  constructor() {\n    socket.on('data', (line) => this.#receive(line));\n  }\n\n  #receive(line: Buffer): void {\n    JSON.parse(String(line));\n  }\n}",
    "stream.on('data', ({ table }) => onRoute(eventOf(table)));\nfunction eventOf(table: Table): Event {\n  return nlri(table);\n}\nfunction nlri(table: Table) {\n  return table.value.readUInt8(0);\n}",
    "socket.on('message', hear);\nfunction hear(message: string) {\n  parseJson(message, 'a peer');\n}",
  ];
  for (const text of exposed) assert.equal(exposedIn(text).length, 1, text);
  const contained = [
    "socket.on('data', contained((bytes) => JSON.parse(String(bytes)), end));",
    "socket.on('data', (bytes) => {\n  try {\n    JSON.parse(String(bytes));\n  } catch {}\n});",
    "socket.on('data', (bytes) => chunks.push(bytes));",
    'readLines(socket, { onLine: (line) => JSON.parse(String(line)) });',
  ];
  for (const text of contained) assert.deepEqual(exposedIn(text), [], text);
});
