import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ByteReader } from '../rfb/reader.ts';
import { CAPABILITIES, COMMON, COMMON_CAPABILITIES, TO_COMMON } from './protocol.ts';

const MAGIC = Buffer.from('REDQ');
const VERSION = [2, 2] as const;
const LINK_HEAD = 16;
/** A 1024-bit key in DER, with the bytes before and after it in the answer. */
const KEY_BYTES = 162;
const MIN_ANSWER = 4 + KEY_BYTES + 12;
const MAX_ANSWER = 4096;
const AUTH_SPICE = 1;
/** Maximum number of unsent bytes: a server that lets them pile up will not read them. */
const MAX_UNSENT = 1_048_576;

export interface ChannelOptions {
  /** One of `CHANNEL`. */
  type: number;
  /** The session that the channel belongs to; 0 for the first channel, for which the server creates a session. */
  session: number;
  /** A longer message ends the channel before memory is allocated for it. */
  maxMessage: number;
}

export interface Message {
  type: number;
  body: Buffer;
}

/** One channel of a SPICE session, over a separate connection. */
export class Channel {
  readonly #stream: Duplex;
  readonly #reader: ByteReader;
  readonly #maxMessage: number;
  /** Messages between two acknowledgements, as set by the server; 0 before that. */
  #window = 0;
  #unacknowledged = 0;

  private constructor(stream: Duplex, maxMessage: number) {
    this.#stream = stream;
    this.#reader = new ByteReader(stream);
    this.#maxMessage = maxMessage;
  }

  /**
   * Links, with an empty ticket for a server that requires none. Throws if the server does not behave as expected.
   */
  static async open(stream: Duplex, { type, session, maxMessage }: ChannelOptions): Promise<Channel> {
    const channel = new Channel(stream, maxMessage);
    stream.write(linkRequest(type, session));
    const reader = channel.#reader;
    const head = await reader.take(LINK_HEAD);
    if (!head.subarray(0, 4).equals(MAGIC)) throw new Error('not a SPICE server');
    const length = head.readUInt32LE(12);
    if (length < MIN_ANSWER || length > MAX_ANSWER) throw new Error(`a link reply of ${length} bytes`);
    const answer = await reader.take(length);
    const error = answer.readUInt32LE(0);
    if (error !== 0) throw new Error(`the SPICE server refused a link: ${error}`);
    const common = answer.readUInt32LE(MIN_ANSWER - 4);
    const count = answer.readUInt32LE(MIN_ANSWER - 12);
    const offered = count > 0 ? answer.readUInt32LE(common) : 0;
    if ((offered & COMMON_CAPABILITIES) !== COMMON_CAPABILITIES)
      throw new Error('the SPICE server is too old');
    stream.write(ticket(answer.subarray(4, 4 + KEY_BYTES)));
    const result = (await reader.take(4)).readUInt32LE(0);
    if (result !== 0) throw new Error(`the SPICE server refused a ticket: ${result}`);
    return channel;
  }

  /** Returns the next message that is not common to all channels. Throws when the connection has ended. */
  async next(): Promise<Message> {
    for (;;) {
      const head = await this.#reader.take(6);
      const [type, length] = [head.readUInt16LE(0), head.readUInt32LE(2)];
      if (length > this.#maxMessage) throw new Error(`message ${type} of ${length} bytes`);
      const body = await this.#reader.take(length);
      this.#acknowledge();
      if (type === COMMON.setAck) this.#setAck(body);
      else if (type === COMMON.ping) this.send(TO_COMMON.pong, body.subarray(0, 12));
      else if (type !== COMMON.notify) return { type, body };
    }
  }

  send(type: number, body: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(6);
    head.writeUInt16LE(type, 0);
    head.writeUInt32LE(body.length, 2);
    this.#stream.write(Buffer.concat([head, body]));
    if (this.#stream.writableLength > MAX_UNSENT) this.#stream.destroy();
  }

  #setAck(body: Buffer): void {
    this.#window = body.readUInt32LE(4);
    this.#unacknowledged = 0;
    this.send(TO_COMMON.ackSync, body.subarray(0, 4));
  }

  #acknowledge(): void {
    if (this.#window === 0 || ++this.#unacknowledged < this.#window) return;
    this.#unacknowledged = 0;
    this.send(TO_COMMON.ack);
  }
}

function linkRequest(type: number, session: number): Buffer {
  const body = Buffer.alloc(26);
  body.writeUInt32LE(session, 0);
  body[4] = type;
  const own = CAPABILITIES[type] ?? 0;
  // The numbers of common and of channel capability words, their offset, and the words.
  for (const [at, value] of [1, 1, 18, COMMON_CAPABILITIES, own].entries())
    body.writeUInt32LE(value, 6 + at * 4);
  const head = Buffer.alloc(LINK_HEAD);
  MAGIC.copy(head);
  for (const [at, value] of [...VERSION, body.length].entries()) head.writeUInt32LE(value, 4 + at * 4);
  return Buffer.concat([head, body]);
}

/** Returns the choice of ticket authentication, and an empty ticket encrypted for the server. */
function ticket(der: Buffer): Buffer {
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const chosen = Buffer.alloc(4);
  chosen.writeUInt32LE(AUTH_SPICE, 0);
  return Buffer.concat([chosen, publicEncrypt({ key, padding, oaepHash: 'sha1' }, Buffer.of(0))]);
}
