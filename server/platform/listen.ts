import type { FastifyInstance } from 'fastify';
import { reasonOf, UnavailableError } from './config-error.ts';

/** Makes `app` listen on the address in `setting` and returns it. Throws {@link UnavailableError} if it cannot. */
export async function listenOn(
  app: FastifyInstance,
  setting: string,
  { host, port }: { host: string; port: number },
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    throw new UnavailableError(`${setting}: cannot listen on ${address}: ${reasonOf(error)}`);
  }
}
