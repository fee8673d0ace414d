import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request exactly as it is sent: nothing is added, escaped or corrected. */
export interface Request {
  method: string;
  /** Path and query. */
  target: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  text: string;
}

/** A reply that takes longer never comes: long polls end after at most 30 seconds. */
const TIMEOUT_MS = 120_000;

export class Transport {
  readonly #agent: Agent;
  /** Such as `http://127.0.0.1:8080`; it changes when the service restarts. */
  baseUrl: string;

  /** `from` is the local address to connect from. */
  constructor(baseUrl: string, from?: string) {
    this.baseUrl = baseUrl;
    this.#agent = new Agent({ keepAlive: true, localAddress: from });
  }

  send({ method, target, headers = {}, body }: Request): Promise<Reply> {
    const { hostname, port } = new URL(this.baseUrl);
    return new Promise((resolve, reject) => {
      const outgoing = request({
        agent: this.#agent,
        hostname,
        port,
        method,
        path: target,
        headers: body === undefined ? headers : { 'content-length': Buffer.byteLength(body), ...headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      outgoing.on('error', reject).on('response', (response) => {
        const { statusCode = 0, headers } = response;
        text(response).then((content) => resolve({ status: statusCode, headers, text: content }), reject);
      });
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
