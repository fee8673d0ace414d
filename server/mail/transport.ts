import { mkdir, readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Mailbox, SmtpServer } from '../config/panel-kinds.ts';
import type { Clock } from '../platform/clock.ts';
import { writeDurably } from '../platform/durable-file.ts';
import type { Attachment } from './attachments.ts';
import { CONNECT_MS, connectMailServer } from './connection.ts';
import type { Rendered } from './layout.ts';

export interface Outgoing extends Rendered {
  id: string;
  to: string;
  date: Date;
  attachments?: Attachment[];
}

/** A mail that will be refused however often it is sent, such as one to an address that does not exist. */
export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
}

export interface MailTransport {
  /**
   * Throws if the mail was not accepted, with {@link MailRefusedError} if it never will be. Returns the file it was
   * written to, if any, for the log.
   */
  send(mail: Outgoing): Promise<{ file?: string }>;
  close(): Promise<void>;
}

/** A server that is silent for this long is given up; mails are small. */
const SILENCE_MS = 30_000;
/** Limit for one mail as a whole: a server could send something every few seconds and never finish. */
const SEND_MS = 300_000;
/** Connections open at the same time: servers allow few. */
const CONNECTIONS = 4;
/** Mail files kept when there is no server; the oldest are deleted first. */
const FILES_KEPT = 1_000;

/** Sends by SMTP. The library is loaded with the first mail, because starting the service does not need it. */
export function smtpTransport(server: SmtpServer, from: Mailbox, clock: Clock): MailTransport {
  const host = from.address.slice(from.address.lastIndexOf('@') + 1);
  let opened: Promise<{ mailer: Mailer }> | undefined;
  return {
    async send({ id, to, date, ...content }) {
      opened ??= openMailer(server, clock);
      const { mailer } = await opened;
      const late = new AbortController();
      const done = new AbortController();
      clock.sleep(SEND_MS, done.signal).then(
        () => late.abort(new Error('the mail server did not finish in time')),
        () => {},
      );
      try {
        await mailer.sendMail({
          from,
          to: { name: '', address: to },
          date,
          // The same id for each attempt, so that a recipient can recognise a mail that had been accepted although we
          // received no reply.
          messageId: `<${id}@${host}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: late.signal,
          ...content,
        });
      } catch (error) {
        throw isRefusal(error) ? new MailRefusedError((error as Error).message) : error;
      } finally {
        done.abort();
      }
      return {};
    },
    async close() {
      (await opened?.catch(() => undefined))?.mailer.close();
    },
  };
}

type Mailer = Awaited<ReturnType<typeof createMailer>>;

/** Wrapped in an object, because whether the mailer itself counts as a promise would depend on its members. */
async function openMailer(server: SmtpServer, clock: Clock): Promise<{ mailer: Mailer }> {
  return { mailer: await createMailer(server, clock) };
}

async function createMailer({ host, port, tls, user, password }: SmtpServer, clock: Clock) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(user && { auth: { user, pass: password } }),
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    getSocket(_options: unknown, done: (error: Error | null, opened?: { connection: Socket }) => void) {
      connectMailServer(clock, host, port).then(
        (connection) => done(null, { connection: connection as Socket }),
        (error) => done(error),
      );
    },
  });
}

/**
 * A 5xx reply about the mail or its recipient. If the server refuses the service itself, for example its password, the
 * operator has to fix that.
 */
function isRefusal(error: unknown): boolean {
  const { responseCode = 0, code } = error as { responseCode?: number; code?: string };
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
}

/** Writes mails to files, for installations without a mail server, such as a developer's. */
export function fileTransport(dataDir: string): MailTransport {
  const directory = join(dataDir, 'mail');
  return {
    async send({ id, to, subject, text, date, attachments = [] }) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // Ids sort by age, and are safe as the beginning of a file name.
      const file = join(directory, `${id}.txt`);
      const head = `To: ${to}\nDate: ${date.toUTCString()}\nSubject: ${subject}\n\n`;
      await writeDurably(file, head + text, 0o600);
      for (const { filename, content } of attachments)
        await writeDurably(join(directory, `${id}-${filename}`), content, 0o600);
      const old = (await readdir(directory)).sort().slice(0, -FILES_KEPT);
      await Promise.all(old.map((name) => rm(join(directory, name), { force: true })));
      return { file };
    },
    async close() {},
  };
}
