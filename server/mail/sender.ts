import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { beginAttempt, dueMails, type MailRow, markFailed, markSent } from '../db/queries/service/mails.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { storable } from '../platform/text.ts';
import type { Attach } from './attachments.ts';
import type { MailBrand } from './layout.ts';
import { MAIL_PURPOSE } from './outbox.ts';
import { renderMail } from './render.ts';
import { fileTransport, MailRefusedError, type MailTransport, smtpTransport } from './transport.ts';

const MINUTE_MS = 60_000;
/**
 * The wait after each attempt. The eighth attempt, nearly two days after the first, is the last: a mail that fails then is
 * given up. The last wait matters only if the process dies during that attempt.
 */
const WAITS_MS = [1, 5, 15, 60, 240, 720, 1_440, 1_440].map((minutes) => minutes * MINUTE_MS);
/** Mails per round, and mails sent at the same time: a round ends, however slow the server is. */
const BATCH = 20;
const AT_ONCE = 4;
/** Characters kept of a server's error message; some are long. */
const MAX_ERROR = 300;

export interface SenderParts {
  config: Pick<Config, 'dataDir' | 'mailSmtpUrl' | 'mailFrom'>;
  brand: MailBrand;
  site: { panelUrl: string };
  db: Database;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'mailEnded'>;
  secrets: SecretBox;
  /** Adds the files that belong to a mail; if absent, no files are attached. */
  attach?: Attach;
}

/**
 * Sends the mails in the outbox. An attempt is counted before it is made, so that a mail that crashes the process is
 * given up eventually. A mail can arrive twice if the node dies after the server has accepted it and before that is
 * recorded.
 */
export class MailSender {
  readonly #parts: SenderParts;
  readonly #transport: MailTransport;
  #closed = false;

  constructor(parts: SenderParts) {
    const { dataDir, mailSmtpUrl, mailFrom } = parts.config;
    const { clock } = parts;
    this.#parts = parts;
    this.#transport =
      mailSmtpUrl && mailFrom ? smtpTransport(mailSmtpUrl, mailFrom, clock) : fileTransport(dataDir);
  }

  /** Runs one round: sends the mails that are due, longest overdue first. */
  async run(): Promise<void> {
    const { db, clock } = this.#parts;
    const due = await dueMails(db, clock.now(), BATCH);
    const next = due.values();
    const work = async () => {
      for (const mail of next) if (!this.#closed) await this.#attempt(mail);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** Starts no further mails. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#transport.close();
  }

  async #attempt(due: MailRow): Promise<void> {
    const { db, clock, logger, metrics } = this.#parts;
    const wait = WAITS_MS[due.attempts] ?? WAITS_MS.at(-1)!;
    const mail = await beginAttempt(db, due, new Date(clock.now().getTime() + wait));
    if (!mail) return;
    const about = { mail_id: mail.id, template: mail.template };
    try {
      const { file } = await this.#transport.send({
        ...(await this.#render(mail)),
        id: mail.id,
        to: mail.recipient,
        date: mail.created_at,
      });
      await markSent(db, mail.id, clock.now());
      metrics.mailEnded('sent');
      if (file) logger.info({ ...about, to: mail.recipient, file }, 'mail written to a file');
      else logger.info(about, 'mail sent');
    } catch (error) {
      const isLast = mail.attempts >= WAITS_MS.length || error instanceof MailRefusedError;
      const reason = storable((error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR));
      await markFailed(db, mail.id, { error: reason, at: clock.now(), isLast });
      if (isLast) metrics.mailEnded('failed');
      logger.warn({ ...about, reason, attempts: mail.attempts }, isLast ? 'mail given up' : 'mail not sent');
    }
  }

  /** A mail that cannot be rendered now, such as one written by a newer release, is retried like any other. */
  async #render({ template, sealed_values, locale }: MailRow) {
    const { brand, site, secrets, attach } = this.#parts;
    const sealed = JSON.parse(secrets.open(sealed_values!, MAIL_PURPOSE));
    const { values, attachments } = (await attach?.(template, sealed)) ?? { values: sealed, attachments: [] };
    return { ...renderMail(template, values, locale, { brand, ...site }), attachments };
  }
}
