import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../../server/db/database.ts';
import { createLogger } from '../../../server/platform/logging.ts';
import { Client } from '../../acceptance/support/client.ts';
import { OPERATIONS } from '../../acceptance/support/document.ts';
import { Operator } from '../../acceptance/support/operator.ts';
import type { Vm } from '../../acceptance/support/shapes.ts';
import { Transport } from '../../acceptance/support/transport.ts';
import { placesOf } from '../../acceptance/support/valid-calls.ts';
import { equip, newSubject, newVm, type Subject, withoutJob } from '../../acceptance/support/world.ts';
import { type ModelServer, startModel } from '../../agent/support/model-server.ts';
import { startInProcess } from '../../chaos/support/in-process.ts';
import { callOf, inOrder, isFollowedByWait } from '../../clients/support/sequence.ts';
import { asleep, DAY_MS } from '../../compute/support.ts';
import { open } from '../../consoles/support/socket.ts';
import { type SmtpDouble, startSmtp } from '../../mail/support/smtp.ts';
import {
  callEveryOperation as callOperators,
  ROSTER_SETTINGS as OPERATORS,
  type World,
} from '../../operator/roster.ts';
import { call, DESCRIPTION as OPERATOR } from '../../operator/support.ts';
import { DESCRIPTION as PANEL, type Panel, signInAs, type TestBrowser } from '../../panel/support/panel.ts';
import { ROSTER_SETTINGS as CUSTOMERS, callEveryOperation as callPanel } from '../../panel/support/roster.ts';
import { defer } from '../../support/cleanup.ts';
import { queriesOf } from './filters.ts';

const UNLIMITED = '10000000';
/** The number of clock advances per month; notices and renewals need days between them. */
const STEPS = 6;
const MONTH_MS = 30 * DAY_MS;

export interface Complaint {
  level: string;
  msg: string;
  [field: string]: unknown;
}

/** A scope that ends with the round: the end of the test is too late to close hundreds of sockets. */
function lifetime(): { t: TestContext; end(): Promise<void> } {
  const ends: (() => Promise<void>)[] = [];
  const t = { passed: true, after: (end: () => Promise<void>) => void ends.push(end) };
  return {
    t: t as unknown as TestContext,
    async end() {
      for (const end of ends) await end();
    },
  };
}

/** A service in this process with everything that it talks to, for many simulated months. */
export class Life {
  /** Warnings and errors in the log so far. */
  readonly complaints: readonly Complaint[];
  readonly #panel: Panel;
  readonly #model: ModelServer;
  readonly #smtp: SmtpDouble;
  readonly #transport: Transport;
  readonly #operator: Operator;
  readonly #client: Client;
  #resident!: Subject & { vm: string };
  /** The number of the service's loops that sleep when idle. */
  #idlers = 0;

  private constructor(
    panel: Panel,
    { model, smtp, complaints }: { model: ModelServer; smtp: SmtpDouble; complaints: Complaint[] },
  ) {
    this.#panel = panel;
    this.complaints = complaints;
    this.#model = model;
    this.#smtp = smtp;
    this.#transport = new Transport(panel.baseUrl);
    this.#operator = new Operator(panel.operatorSocket);
    this.#client = new Client(this.#transport);
  }

  /** Starts the service, with a VM that exists for its whole life. */
  static async begin(t: TestContext): Promise<Life> {
    const smtp = await startSmtp(t);
    const model = await startModel(t, [{ text: 'Nothing to do.' }]);
    const complaints: Complaint[] = [];
    const write = (line: string) => void complaints.push(JSON.parse(line));
    const service = await startInProcess(t, {
      env: {
        ...CUSTOMERS,
        ...OPERATORS,
        VAUBAN_RATE_LIMIT_KEY: UNLIMITED,
        VAUBAN_RATE_LIMIT_ACCOUNT: UNLIMITED,
        VAUBAN_RATE_LIMIT_IP: UNLIMITED,
        VAUBAN_RATE_LIMIT_OPEN: UNLIMITED,
        VAUBAN_SIMULATOR_MEMORY_MB: UNLIMITED,
        VAUBAN_MAIL_SMTP_URL: smtp.url,
        VAUBAN_MAIL_FROM: 'noreply@vauban.example',
        VAUBAN_AGENT_PROVIDER: 'openai-compatible',
        VAUBAN_AGENT_MODEL: 'scripted',
        VAUBAN_AGENT_BASE_URL: model.baseUrl,
      },
      logger: createLogger({ logLevel: 'warn' }, { write }),
    });
    const panel = { ...service, services: service.service.services };
    const life = new Life(panel, { model, smtp, complaints });
    defer(t, () => life.#transport.close());
    await life.#settle();
    const resident = await newSubject(life.#operator, life.#client, { balance: 1_000_000_000 });
    const vm = await life.#moving(newVm(resident.client, 'resident'));
    life.#resident = { ...resident, vm: vm.id };
    return life;
  }

  get db() {
    return this.#panel.services.db;
  }

  /** Simulates a month: everyone does everything they can, and then the days pass. */
  async month(n: number): Promise<void> {
    const { t, end } = lifetime();
    await this.#customers(t, n);
    await this.#people(n);
    await this.#operators(n);
    await end();
    await this.#days();
    const vm = await this.#resident.client.ok<Vm>('getVm', { at: [this.#resident.vm] });
    assert.equal(vm.status, 'running');
    this.#smtp.received.length = 0;
    this.#model.become([{ text: 'Nothing to do.' }]);
  }

  /** A customer's program: everything in /v1, while a screen, a shell and a visitor watch. */
  async #customers(t: TestContext, n: number): Promise<void> {
    const subject = await newSubject(this.#operator, this.#client);
    subject.ids = await this.#moving(equip(subject, `web-${n}`));
    const { client, ids } = subject;
    for (const operation of OPERATIONS.filter(({ method }) => method === 'GET'))
      for (const query of queriesOf(operation.query, this.#panel.clock.now()))
        await client.call(operation.id, { at: placesOf(operation, ids), query });
    const at = [ids.vm!];
    const screen = await client.ok<{ ws_url: string; ticket: string }>('getConsole', { at });
    await (await open(t, screen.ws_url, { protocols: ['binary', screen.ticket] })).says('RFB');
    const shell = await client.ok<{ ws_url: string; token: string }>('createSshToken', { at, body: {} });
    const terminal = await open(t, shell.ws_url, { protocols: ['vauban.ssh', shell.token] });
    await this.#moving(terminal.says(`web-${n}`));
    const share = await client.ok<{ url: string }>('createConsoleShare', { at, body: { mode: 'read_only' } });
    const [page, secret] = share.url.split('#');
    const visitor = `${page!.replace('http', 'ws')}/socket`;
    await (await open(t, visitor, { protocols: ['vauban.share', secret!] })).says(`web-${n}`);
    this.#model.become([
      { text: 'I will look. ', command: 'df -h', reason: 'See the disks' },
      { text: 'There is space.' },
    ]);
    for (const operation of inOrder()) {
      const { status, text } = await this.#moving(client.call(operation.id, callOf(operation, ids)));
      assert.equal(status, 200, `${operation.id}: ${text}`);
      if (isFollowedByWait(operation)) await this.#moving(withoutJob(client, ids.vm!));
    }
  }

  /** Someone signs up in the panel, uses everything, and leaves. */
  async #people(n: number): Promise<void> {
    const step = (_name: string, work: () => Promise<void>) => work();
    const answered = await callPanel(this.#panel, step, { name: `person-of-month-${n}`, probes: false });
    assert.equal(answered.size, PANEL.operations.length);
  }

  /** The operator looks at everything and uses it, and a customer lists everything in the panel. */
  async #operators(n: number): Promise<void> {
    const { browser, accountId } = await signInAs(this.#panel, 'owner');
    await this.#operator.credit(accountId, 10_000_000);
    const world = await callOperators(this.#panel, browser, {
      email: `link-${n}@example.com`,
      probes: false,
    });
    const now = this.#panel.clock.now();
    const ids: Record<string, string> = { ...world.ids, tenants: world.answers.createTenant.id };
    for (const { method, path, query } of OPERATOR.operations) {
      const target = path.replace(/([\w-]+)\/\{\w+\}/, (_, collection) => `${collection}/${ids[collection]}`);
      if (method !== 'GET') continue;
      for (const filter of queriesOf(query, now))
        await call(this.#panel.operatorSocket, method, `${target}?${new URLSearchParams(filter)}`);
    }
    for (const { method, path, query } of PANEL.operations) {
      if (method !== 'GET' || path.includes('{')) continue;
      for (const filter of queriesOf(query, now)) {
        const { status } = await browser.ask(method, `${path}?${new URLSearchParams(filter)}`);
        assert.ok(status < 500, path);
      }
    }
    await this.#clear(world, browser);
  }

  /** Deletes the VMs of an operator's world, so that nothing of it is left for the next months. */
  async #clear({ vms }: World, browser: TestBrowser): Promise<void> {
    const { db } = this.#panel.services;
    // The hostname is what makes the deletion fail.
    await db.query(sql`
      update simulator_guests set state = jsonb_set(state, '{hostname}', '"mended"')
      where state->>'hostname' = 'sim-fail-remove'`);
    for (const id of vms) {
      const { status } = await this.#moving(
        browser.ask('DELETE', `/v1/vm/${id}`, { idempotencyKey: `clear-${id}` }),
      );
      assert.ok(status === 200 || status === 404 || status === 409, `${status}`);
    }
    await this.#moving(this.#untilNoJob());
  }

  async #untilNoJob(): Promise<void> {
    const { db } = this.#panel.services;
    const jobs = sql`select 1 from vms where active_job_id is not null`;
    while ((await db.query(jobs)).length > 0) await pause(5);
  }

  async #days(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      this.#panel.clock.advance(MONTH_MS / STEPS);
      await asleep(this.#panel.clock, this.#idlers);
      await this.#untilNoJob();
    }
  }

  /** Advances the clock while `work`, which may wait for it, is in progress. */
  async #moving<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    while (!over) {
      await Promise.race([work.catch(() => {}), pause(20, undefined, { ref: false })]);
      // Only when the service is idle; otherwise every time limit would expire at once.
      if (!over && this.#panel.clock.sleeping >= this.#idlers) this.#panel.clock.advance(500);
    }
    return work;
  }

  /** Waits until everything that a start triggers has finished, and counts the idle loops. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 100; quiet++) {
      await this.db.query(sql`select 1`);
      if (this.#panel.clock.sleeping > this.#idlers) quiet = 0;
      this.#idlers = Math.max(this.#idlers, this.#panel.clock.sleeping);
    }
  }
}
