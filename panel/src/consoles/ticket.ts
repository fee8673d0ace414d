/** Opens one WebSocket, once, within a minute. */
export interface Ticket {
  url: string;
  secret: string;
  username?: string;
}

/** Why there is no ticket: the service's error message, or no response. */
export class NoTicket extends Error {
  readonly kind: 'signed_out' | 'refused' | 'unreachable';

  constructor(kind: NoTicket['kind'], message = '') {
    super(message);
    this.kind = kind;
  }
}

export async function terminalTicket(vm: string, size: { cols: number; rows: number }): Promise<Ticket> {
  const data = await ask(`${machine(vm)}/ssh-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(size),
  });
  return { url: here(data.ws_url), secret: data.token!, username: data.username };
}

export async function screenTicket(vm: string): Promise<Ticket & { password: string | null }> {
  const data = await ask(`${machine(vm)}/console`, {});
  return { url: here(data.ws_url), secret: data.ticket!, password: data.password ?? null };
}

const machine = (vm: string) => `/panel/api/v1/vm/${encodeURIComponent(vm)}`;

/**
 * Rewrites a WebSocket address to this page's own host: the content security policy allows no other, and the service
 * may be reachable under names other than the configured one.
 */
function here(address: string | undefined): string {
  const url = new URL(location.origin.replace(/^http/, 'ws'));
  url.pathname = new URL(address ?? '', location.origin).pathname;
  return url.href;
}

async function ask(path: string, request: RequestInit): Promise<Record<string, string | undefined>> {
  let response: Response;
  try {
    response = await fetch(path, { ...request, cache: 'no-store' });
  } catch {
    throw new NoTicket('unreachable');
  }
  const answer = (await response.json().catch(() => ({}))) as {
    data?: Record<string, string>;
    error?: { message?: string };
  };
  if (response.ok && answer.data) return answer.data;
  if (response.status === 401) throw new NoTicket('signed_out');
  throw new NoTicket('refused', answer.error?.message);
}
