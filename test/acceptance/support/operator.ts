import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The operator's side of a service: accounts, money and keys, over its Unix socket. */
export class Operator {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Creates an account with this balance in minor units; returns its id. */
  async account(name: string, balanceMinor = 0, limits: Record<string, number> = {}): Promise<string> {
    const { id } = await this.#post<{ id: string }>('/accounts', { name, limits });
    if (balanceMinor > 0) await this.credit(id, balanceMinor);
    return id;
  }

  async credit(accountId: string, amountMinor: number): Promise<void> {
    await this.#post(`/accounts/${accountId}/credits`, { amount_minor: amountMinor });
  }

  async suspend(accountId: string): Promise<void> {
    await this.#post(`/accounts/${accountId}/suspend`, {});
  }

  /** Creates a DDoS Shield tenant of an account; returns its id. */
  async tenant(accountId: string): Promise<string> {
    return (await this.#post<{ id: string }>(`/accounts/${accountId}/tenants`, { name: 'acceptance' })).id;
  }

  /** Makes an address a target of a tenant; returns its id. */
  async target(tenantId: string, ip: string): Promise<string> {
    return (await this.#post<{ id: string }>(`/tenants/${tenantId}/targets`, { ip })).id;
  }

  async attack(targetId: string, attack: { vector: string; pps: number; seconds: number }): Promise<void> {
    await this.#post(`/targets/${targetId}/attack`, attack);
  }

  async endAttacks(targetId: string): Promise<void> {
    await this.#post(`/targets/${targetId}/attack/stop`, {});
  }

  /** Creates a key of an account and returns its text. */
  async key(accountId: string, scopes: readonly string[], options: KeyOptions = {}): Promise<string> {
    return (await this.#newKey(accountId, scopes, options)).key;
  }

  async revokedKey(accountId: string, scopes: readonly string[]): Promise<string> {
    const { id, key } = await this.#newKey(accountId, scopes, {});
    await this.#post(`/keys/${id}/revoke`, {});
    return key;
  }

  #newKey(
    accountId: string,
    scopes: readonly string[],
    { name = 'acceptance', expiresAt, from }: KeyOptions,
  ) {
    return this.#post<{ id: string; key: string }>(`/accounts/${accountId}/keys`, {
      name,
      scopes,
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      ...(from && { allow_cidrs: from }),
    });
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const outgoing = request({
      socketPath: this.#socketPath,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      agent: false,
    });
    return new Promise((resolve, reject) => {
      outgoing.on('error', reject).on('response', async (response) => {
        const reply = await text(response);
        if (response.statusCode === 200) resolve((JSON.parse(reply) as { data: T }).data);
        else reject(new Error(`POST ${path}: ${response.statusCode} ${reply}`));
      });
      outgoing.end(JSON.stringify(body));
    });
  }
}

export interface KeyOptions {
  name?: string;
  expiresAt?: Date;
  /** CIDRs from which the key may be used. */
  from?: string[];
}
