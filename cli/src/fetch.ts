import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { arrayBuffer, text } from 'node:stream/consumers';
import type { ClientOptions } from '../../sdk/src/index.ts';

/**
 * `fetch` as far as the client uses it. The global one takes longer to load than everything else that a command does. A
 * redirect is not followed: the key is for the address that it was given for.
 */
export const lightFetch: ClientOptions['fetch'] = async (url, { method, headers, body, signal }) => {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = request(url, {
    method: method!,
    headers: headers as Record<string, string>,
    ...(signal && { signal }),
  });
  // An error after the response, such as an abort, reaches its reader.
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
