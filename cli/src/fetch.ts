import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { arrayBuffer, text } from 'node:stream/consumers';
import type { ClientOptions } from '../../sdk/src/index.ts';

/**
 * The part of `fetch` that the client uses. The global `fetch` takes longer to load than everything else that a command
 * does. Redirects are not followed: the key is only for the given URL.
 */
export const lightFetch: ClientOptions['fetch'] = async (url, { method, headers, body, signal }) => {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = request(url, {
    method: method!,
    headers: headers as Record<string, string>,
    ...(signal && { signal }),
  });
  // Errors after the response has begun, such as an abort, are reported by the response stream.
  outgoing.on('error', () => {});
  outgoing.end(body as string | undefined);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode!,
    headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
    text: () => text(response),
    arrayBuffer: () => arrayBuffer(response),
    get body() {
      return Readable.toWeb(response) as ReadableStream<Uint8Array>;
    },
  };
};
