import type { BrowserContext } from 'playwright-core';

/**
 * Collects the errors that all pages of a context log to the console, which include violations of their policies.
 * Refusals that a page displays are not errors of the page.
 */
export function complaintsOf(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    const isRefusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal)
      complaints.push(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  return complaints;
}

/** Collects the hosts that all pages of a context send requests to. */
export function hostsOf(context: BrowserContext): Set<string> {
  const hosts = new Set<string>();
  const add = (url: string) => {
    const { protocol, host } = new URL(url);
    if (protocol !== 'blob:' && protocol !== 'data:') hosts.add(host);
  };
  context.on('request', (request) => add(request.url()));
  context.on('page', (page) => page.on('websocket', (socket) => add(socket.url())));
  return hosts;
}
