import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { defer, type Lifetime } from '../../support/cleanup.ts';

/** A mail as the recipient's server received it. */
export interface ReceivedMail {
  envelope: { from: string; to: string[] };
  mail: Email;
}

export interface SmtpDouble {
  /** For `VAUBAN_MAIL_SMTP_URL`. */
  url: string;
  received: ReceivedMail[];
}

/** Starts a real local SMTP server that keeps the received mails. */
export async function startSmtp(t: Lifetime, options: SMTPServerOptions = {}): Promise<SmtpDouble> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const parsed = buffer(stream).then((bytes) => PostalMime.parse(bytes));
      parsed.then((mail) => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
          mail,
        });
        done();
      }, done);
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  defer(t, () => new Promise<void>((closed) => server.close(() => closed())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received };
}
