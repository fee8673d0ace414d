import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls';
import { smtpTransport } from '../../server/mail/transport.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';
import { freshCertificate } from '../support/incus/identity.ts';
import { startSmtp } from './support/smtp.ts';

// openssl creates the certificate.

const MAIL = {
  id: 'mail_1',
  to: 'ada@example.com',
  date: new Date(0),
  subject: 'Hello',
  text: 'A text that is long enough for several records. '.repeat(2_000),
  html: '<p>Hello',
};

for (const tls of ['implicit', 'required'] as const)
  test(`a mail goes over TLS: ${tls}`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'vauban-mail-'));
    defer(t, () => rmSync(directory, { recursive: true }));
    const { certificate, key } = await freshCertificate(directory, 'localhost');
    // Like Postfix with `smtpd_tls_ask_ccert`: its certificates, and the names of all trusted authorities.
    const server = await startSmtp(t, {
      cert: [certificate, ...rootCertificates.slice(0, 3)].join('\n'),
      key,
      ca: [...rootCertificates],
      requestCert: true,
      rejectUnauthorized: false,
      secure: tls === 'implicit',
      disabledCommands: [],
    });
    const open = () => {
      const transport = smtpTransport(
        { host: 'localhost', port: Number(new URL(server.url).port), tls, user: '', password: '' },
        { name: 'Vauban', address: 'noreply@vauban.example' },
        systemClock,
      );
      defer(t, () => transport.close());
      return transport;
    };
    await assert.rejects(open().send(MAIL), /self-signed certificate/);

    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, certificate]);
    defer(t, () => setDefaultCACertificates(trusted));
    const transport = open();
    // The second mail uses the first one's connection.
    for (const subject of ['First', 'Second']) await transport.send({ ...MAIL, subject });
    assert.deepEqual(
      server.received.map(({ mail }) => mail.subject),
      ['First', 'Second'],
    );
    assert.equal(server.received[1]?.mail.text?.trim(), MAIL.text.trim());
  });
