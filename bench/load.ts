import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The requests to send. They are used in turn, repeatedly, until `count` or `seconds` is reached. */
export interface LoadOrder {
  port: number;
  /** Number of connections; each has one pending request. */
  inFlight: number;
  /** Whole requests, as {@link httpRequest} writes them. */
  requests: string[];
  count?: number;
  seconds?: number;
  /**
   * Maximum requests per second. Each is due at its own time, whether the earlier ones have been answered or not, so
   * that a stall of the service affects all requests due during it. If absent, they are sent as fast as they are
   * answered.
   */
  perSecond?: number;
  /** Count responses of any status, for orders whose requests are meant to be refused. */
  anyStatus?: boolean;
}

export interface LoadReport {
  /** From the first request to the last response. */
  seconds: number;
  statuses: Record<number, number>;
  /** Milliseconds from sending a request, or from its due time if its connection was busy, to the complete response. */
  latencies: number[];
}

export interface LoadGenerator extends Disposable {
  /** Executes one order at a time; throws unless every response is a 200 or the order accepts any status. */
  send(order: LoadOrder): Promise<LoadReport>;
}

/** Returns a request as sent on the wire; anything but a GET gets a new Idempotency-Key. */
export function httpRequest(method: string, path: string, key: string, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} ${path} HTTP/1.1`, 'Host: bench', `Authorization: Bearer ${key}`];
  if (method !== 'GET') head.push(`Idempotency-Key: ${crypto.randomUUID()}`);
  if (text) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return [...head, '', text].join('\r\n');
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'load-generator.ts'), { serialization: 'advanced' });
  return {
    async send(order) {
      child.send(order);
      const [report] = (await once(child, 'message')) as [LoadReport];
      if (!order.anyStatus && Object.keys(report.statuses).some((status) => status !== '200'))
        throw new Error(`responses by status: ${JSON.stringify(report.statuses)}`);
      return report;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

export function throughput({ latencies, seconds }: LoadReport): number {
  return latencies.length / seconds;
}
