import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ENDPOINTS } from '../../../server/endpoints/customer/index.ts';
import { buildOpenApi } from '../../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../../server/http/openapi/customer.ts';

// biome-ignore lint/suspicious/noExplicitAny: each type has its own fields; they are held against the description
export type AgentEvent = { type: string; seq: number; run_id: string } & Record<string, any>;

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS), 'openapi');
const validate = ajv.compile({
  $ref: 'openapi#/paths/~1v1~1vm~1{id}~1ai-agent/post/responses/200/content/text~1event-stream/schema',
});

/** Reads a stream of events as a client does, and checks each against the API description. */
export class EventReader {
  readonly headers: Headers;
  /** The received comments, such as "ping". */
  readonly comments: string[] = [];
  readonly #hangUp: AbortController;
  readonly #chunks: AsyncIterator<string>;
  #text = '';
  /** For the message of a failed test. */
  #last = '';

  constructor(response: Response, hangUp: AbortController) {
    assert.match(response.headers.get('content-type')!, /^text\/event-stream/);
    this.headers = response.headers;
    this.#hangUp = hangUp;
    this.#chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  /** Returns the next event; undefined at the end. */
  async next(): Promise<AgentEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await this.#chunks.next();
        if (done) return undefined;
        this.#text += value;
        continue;
      }
      const block = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      this.#last = `${this.#last}\n${block}`.slice(-1_000);
      if (!block.startsWith(':')) return readEvent(block);
      this.comments.push(block.slice(1).trim());
    }
  }

  /** Reads up to the next event of this type and returns it. */
  async until(type: string): Promise<AgentEvent> {
    for (let event = await this.next(); event; event = await this.next())
      if (event.type === type) return event;
    throw new Error(`the stream ended without ${type}: ${this.#last}`);
  }

  /** Returns all remaining events; exactly one must end the run, and it must come last. */
  async all(): Promise<AgentEvent[]> {
    const events: AgentEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    const ends = events.filter(({ type }) => type === 'run.completed');
    assert.deepEqual(ends, [events.at(-1)], 'exactly one run.completed, and it is the last');
    return events;
  }

  hangUp(): void {
    this.#hangUp.abort();
    this.#chunks.next().catch(() => {});
  }
}

function readEvent(block: string): AgentEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const event = JSON.parse(fields.data!) as AgentEvent;
  assert.equal(fields.event, event.type);
  assert.equal(fields.id, String(event.seq));
  assert.ok(validate(event), `${block}\n${ajv.errorsText(validate.errors)}`);
  return event;
}

/** Returns a reproducible transcript: ids are numbered by kind, and times and versions are left out. */
export function transcript(...streams: AgentEvent[][]): string {
  const names = new Map<string, string>();
  const rename = (text: string) =>
    text.replace(/\b(run|ars|msg|cmd|apr)_[0-9a-z]{26}\b/g, (id, kind: string) => {
      const known = names.get(id);
      if (known) return known;
      const name = `${kind}_${[...names.values()].filter((one) => one.startsWith(`${kind}_`)).length + 1}`;
      names.set(id, name);
      return name;
    });
  const lines = streams.map((events) =>
    events.map(({ type, seq, run_id, session_id, at, ...rest }) =>
      rename(`${seq} ${run_id} ${type} ${JSON.stringify(rest)}`),
    ),
  );
  return `${lines.map((one) => one.join('\n')).join('\n\n')}\n`;
}
