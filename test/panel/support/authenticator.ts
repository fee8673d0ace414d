import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest();

/** A passkey in software that does what a browser and an authenticator do with the options of a service. */
export class Authenticator {
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly id = base64url(randomBytes(32));
  readonly origin: string;
  /** True if it verifies its owner by fingerprint or PIN. */
  verifies = true;
  counter = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Returns the reply to the options of a registration. */
  create({ challenge }: { challenge: string }) {
    const { x, y } = this.#pair.publicKey.export({ format: 'jwk' });
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    // COSE: an elliptic curve key, ES256, on P-256.
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x!)],
      [-3, coordinate(y!)],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(key)]);
    const authData = new Uint8Array(Buffer.concat([this.#authData(FLAGS.attested), attested]));
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    const attestationObject = base64url(isoCBOR.encode(attestation as never));
    const clientDataJSON = base64url(this.#clientData('webauthn.create', challenge));
    return this.#credential({ clientDataJSON, attestationObject, transports: ['internal'] });
  }

  /** Returns the reply to the options of a sign-in. */
  get({ challenge }: { challenge: string }) {
    this.counter++;
    const authData = this.#authData(0);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#pair.privateKey);
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
    });
  }

  #credential(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  #authData(flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const verified = this.verifies ? FLAGS.verified : 0;
    const all = Buffer.from([FLAGS.present | verified | flags]);
    return Buffer.concat([sha256(new URL(this.origin).hostname), all, count]);
  }
}
