import { instant, type Template } from '../content.ts';

/** A link that contains a secret, and when it stops working (ISO 8601). */
export interface LinkValues {
  url: string;
  expiresAt: string;
}

export interface InvitationValues extends LinkValues {
  /** Name of the account. */
  account: string;
  /** Name or address of the member who sent the invitation. */
  inviter: string;
}

export interface NewDeviceValues {
  /** The page that lists the sessions; the customers' page if absent. */
  url?: string;
  at: string;
  ip: string;
  /** Browser and operating system, as far as known. */
  device: string;
}

export interface SecurityChangeValues {
  /** The page with the security settings; the customers' page if absent. */
  url?: string;
  what:
    | 'password_changed'
    | 'email_changed'
    | 'totp_added'
    | 'totp_removed'
    | 'recovery_codes_renewed'
    | 'passkey_added'
    | 'passkey_removed';
  at: string;
  ip: string;
}

export interface KeyExpiryValues {
  label: string;
  hint: string;
  expiresAt: string;
  account: string;
}

const IGNORE = {
  en: 'If you did not ask for this, ignore this email. Just opening the link changes nothing.',
  de: 'Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Den Link nur zu öffnen, ändert nichts.',
};

const validUntil = {
  en: (iso: string) => `The link can be used once, until ${instant(iso, 'en')}.`,
  de: (iso: string) => `Der Link gilt einmal, bis ${instant(iso, 'de')}.`,
};

export const verifyEmail: Template<LinkValues> = {
  en: ({ url, expiresAt }, { brand }) => ({
    subject: `Create your ${brand} account`,
    paragraphs: [
      `Someone, probably you, wants to sign up for ${brand} with this address. Open this link to choose a password and create your account. Until then, the account does not exist.`,
    ],
    action: { label: 'Choose a password', url },
    notes: [validUntil.en(expiresAt), IGNORE.en],
  }),
  de: ({ url, expiresAt }, { brand }) => ({
    subject: `Legen Sie Ihr Konto bei ${brand} an`,
    paragraphs: [
      `Jemand, vermutlich Sie, möchte sich mit dieser Adresse bei ${brand} registrieren. Wählen Sie auf der Seite hinter diesem Link ein Passwort und legen Sie dort Ihr Konto an. Vorher gibt es das Konto nicht.`,
    ],
    action: { label: 'Passwort wählen', url },
    notes: [validUntil.de(expiresAt), IGNORE.de],
  }),
};

/**
 * Someone signs up with the address of an existing person: only the owner of the address learns that it is registered.
 */
export const alreadySignedUp: Template<Record<never, never>> = {
  en: (_, { brand, panelUrl }) => ({
    subject: `You already have a ${brand} account`,
    paragraphs: [
      `Someone, probably you, tried to sign up for ${brand} with this address. It already has an account: sign in, or request a new password on the sign-in page.`,
    ],
    action: { label: 'Sign in', url: `${panelUrl}/sign-in` },
    notes: ['If that was not you, you can ignore this email: nothing has changed.'],
  }),
  de: (_, { brand, panelUrl }) => ({
    subject: `Sie haben bereits ein Konto bei ${brand}`,
    paragraphs: [
      `Jemand, vermutlich Sie, wollte sich mit dieser Adresse bei ${brand} registrieren. Es gibt schon ein Konto dafür: Melden Sie sich einfach an oder fordern Sie dort ein neues Passwort an.`,
    ],
    action: { label: 'Anmelden', url: `${panelUrl}/sign-in` },
    notes: ['Falls Sie das nicht waren, brauchen Sie nichts zu tun: Es wurde nichts geändert.'],
  }),
};

export const resetPassword: Template<LinkValues> = {
  en: ({ url, expiresAt }, { brand }) => ({
    subject: `Choose a new ${brand} password`,
    paragraphs: [
      'You asked for a new password. Open this link to choose it. You will then be signed out everywhere.',
    ],
    action: { label: 'Choose a password', url },
    notes: [validUntil.en(expiresAt), IGNORE.en],
  }),
  de: ({ url, expiresAt }, { brand }) => ({
    subject: `Neues Passwort für ${brand}`,
    paragraphs: [
      'Sie haben ein neues Passwort angefordert. Wählen Sie es auf der Seite hinter diesem Link. Danach sind Sie überall abgemeldet.',
    ],
    action: { label: 'Passwort wählen', url },
    notes: [validUntil.de(expiresAt), IGNORE.de],
  }),
};

export const invitation: Template<InvitationValues> = {
  en: ({ url, expiresAt, account, inviter }, { brand }) => ({
    subject: `Invitation to ${account} at ${brand}`,
    paragraphs: [`${inviter} has invited you to the account ${account} at ${brand}.`],
    action: { label: 'Accept invitation', url },
    notes: [validUntil.en(expiresAt), IGNORE.en],
  }),
  de: ({ url, expiresAt, account, inviter }, { brand }) => ({
    subject: `Einladung zu ${account} bei ${brand}`,
    paragraphs: [`${inviter} lädt Sie in das Konto ${account} bei ${brand} ein.`],
    action: { label: 'Einladung annehmen', url },
    notes: [validUntil.de(expiresAt), IGNORE.de],
  }),
};

export const signInLink: Template<LinkValues> = {
  en: ({ url, expiresAt }, { brand }) => ({
    subject: `Sign in to ${brand}`,
    paragraphs: ['Open this link to sign in.'],
    action: { label: 'Sign in', url },
    notes: [validUntil.en(expiresAt), IGNORE.en],
  }),
  de: ({ url, expiresAt }, { brand }) => ({
    subject: `Anmelden bei ${brand}`,
    paragraphs: ['Melden Sie sich auf der Seite hinter diesem Link an.'],
    action: { label: 'Anmelden', url },
    notes: [validUntil.de(expiresAt), IGNORE.de],
  }),
};

/** Sent to the new address. */
export const changeEmail: Template<LinkValues> = {
  en: ({ url, expiresAt }, { brand }) => ({
    subject: `Confirm your new address for ${brand}`,
    paragraphs: [
      'Open this link to confirm that you want to use this address. From then on, you sign in with it.',
    ],
    action: { label: 'Change address', url },
    notes: [validUntil.en(expiresAt), IGNORE.en],
  }),
  de: ({ url, expiresAt }, { brand }) => ({
    subject: `Bestätigen Sie Ihre neue Adresse für ${brand}`,
    paragraphs: [
      'Bestätigen Sie auf der Seite hinter diesem Link, dass Sie diese Adresse verwenden möchten. Von da an melden Sie sich damit an.',
    ],
    action: { label: 'Adresse ändern', url },
    notes: [validUntil.de(expiresAt), IGNORE.de],
  }),
};

export const newDevice: Template<NewDeviceValues> = {
  en: ({ at, ip, device, url }, { brand, panelUrl }) => ({
    subject: `New sign-in to ${brand}`,
    paragraphs: ['Someone signed in to your account from a device that is new to us.'],
    facts: [
      ['When', instant(at, 'en')],
      ['Address', ip],
      ['Device', device],
    ],
    action: { label: 'View sessions', url: url ?? `${panelUrl}/account/security` },
    notes: ['If this was not you, end the session there and change your password.'],
  }),
  de: ({ at, ip, device, url }, { brand, panelUrl }) => ({
    subject: `Neue Anmeldung bei ${brand}`,
    paragraphs: ['Jemand hat sich mit einem Gerät angemeldet, das wir noch nicht kannten.'],
    facts: [
      ['Wann', instant(at, 'de')],
      ['Adresse', ip],
      ['Gerät', device],
    ],
    action: { label: 'Sitzungen ansehen', url: url ?? `${panelUrl}/account/security` },
    notes: ['Falls Sie das nicht waren, beenden Sie dort die Sitzung und ändern Sie Ihr Passwort.'],
  }),
};

const CHANGES: Record<SecurityChangeValues['what'], { en: string; de: string }> = {
  password_changed: { en: 'Your password was changed.', de: 'Ihr Passwort wurde geändert.' },
  email_changed: {
    en: 'Your sign-in address was changed. This address no longer works.',
    de: 'Ihre Anmeldeadresse wurde geändert. Diese gilt nicht mehr.',
  },
  totp_added: {
    en: 'An authenticator app was added as a second factor.',
    de: 'Eine Authenticator-App wurde als zweiter Faktor hinzugefügt.',
  },
  totp_removed: {
    en: 'The authenticator app was removed as a second factor.',
    de: 'Die Authenticator-App wurde als zweiter Faktor entfernt.',
  },
  recovery_codes_renewed: {
    en: 'New recovery codes were generated. The old ones no longer work.',
    de: 'Neue Wiederherstellungscodes wurden erstellt. Die alten gelten nicht mehr.',
  },
  passkey_added: { en: 'A passkey was added.', de: 'Ein Passkey wurde hinzugefügt.' },
  passkey_removed: { en: 'A passkey was removed.', de: 'Ein Passkey wurde entfernt.' },
};

export const securityChange: Template<SecurityChangeValues> = {
  en: ({ what, at, ip, url }, { brand, panelUrl }) => ({
    subject: `Your ${brand} sign-in settings were changed`,
    paragraphs: [CHANGES[what].en],
    facts: [
      ['When', instant(at, 'en')],
      ['Address', ip],
    ],
    action: { label: 'View security settings', url: url ?? `${panelUrl}/account/security` },
    notes: ['If this was not you, request a new password at once and contact support.'],
  }),
  de: ({ what, at, ip, url }, { brand, panelUrl }) => ({
    subject: `Änderung an Ihrer Anmeldung bei ${brand}`,
    paragraphs: [CHANGES[what].de],
    facts: [
      ['Wann', instant(at, 'de')],
      ['Adresse', ip],
    ],
    action: { label: 'Sicherheitseinstellungen ansehen', url: url ?? `${panelUrl}/account/security` },
    notes: [
      'Falls Sie das nicht waren, fordern Sie sofort ein neues Passwort an und melden Sie sich beim Support.',
    ],
  }),
};

export const keyExpiry: Template<KeyExpiryValues> = {
  en: ({ label, hint, expiresAt, account }, { panelUrl }) => ({
    subject: `API key “${label}” expires soon`,
    paragraphs: [`An API key of the account ${account} will stop working on ${instant(expiresAt, 'en')}.`],
    facts: [
      ['Key', `${label} (${hint})`],
      ['Expires', instant(expiresAt, 'en')],
    ],
    action: { label: 'Go to API keys', url: `${panelUrl}/keys` },
    notes: ['If it is still in use, create a new key and switch to it before then.'],
  }),
  de: ({ label, hint, expiresAt, account }, { panelUrl }) => ({
    subject: `API-Schlüssel „${label}“ läuft bald ab`,
    paragraphs: [`Ein API-Schlüssel des Kontos ${account} gilt nur noch bis ${instant(expiresAt, 'de')}.`],
    facts: [
      ['Schlüssel', `${label} (${hint})`],
      ['Läuft ab', instant(expiresAt, 'de')],
    ],
    action: { label: 'Zu den API-Schlüsseln', url: `${panelUrl}/keys` },
    notes: ['Falls er noch gebraucht wird, erstellen Sie vorher einen neuen und ersetzen Sie ihn.'],
  }),
};
