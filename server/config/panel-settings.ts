import * as panelKind from './panel-kinds.ts';
import * as kind from './setting-kinds.ts';
import type { Setting } from './settings.ts';

/** Languages of the panel and of mails. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
export const SIGN_UP_MODES = ['open', 'invitation', 'closed'] as const;
export type SignUpMode = (typeof SIGN_UP_MODES)[number];
export const PAYMENT_PROVIDERS = ['test', 'bank_transfer', 'stripe'] as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** Settings of the panel: its look, who may sign up, how mails are sent, and how customers pay. */
export const PANEL_SETTINGS = {
  panelName: {
    env: 'VAUBAN_PANEL_NAME',
    kind: panelKind.line,
    default: 'Vauban',
    about: 'Your name, shown to customers in the panel and in mails.',
  },
  panelLogo: {
    env: 'VAUBAN_PANEL_LOGO',
    kind: kind.path,
    about: 'Your logo, an SVG or PNG file of at most 256 KB; defaults to the name.',
  },
  documentLogo: {
    env: 'VAUBAN_DOCUMENT_LOGO',
    kind: kind.path,
    about:
      'Your logo on invoices and credit notes, a PNG file of at most 256 KB and a million pixels; defaults to `VAUBAN_PANEL_LOGO` if that is such a file. It must not be interlaced.',
  },
  documentFont: {
    env: 'VAUBAN_DOCUMENT_FONT',
    kind: kind.path,
    about:
      'Font of invoices and credit notes, a TrueType or OpenType file, for names of customers with letters that the built-in font does not have, such as Chinese ones.',
  },
  panelBrandColor: {
    env: 'VAUBAN_PANEL_BRAND_COLOR',
    kind: panelKind.color,
    default: '#2563c4',
    about:
      'Color of buttons and links. It must be readable on the light theme; the dark theme uses a lighter shade.',
  },
  panelTermsUrl: {
    env: 'VAUBAN_PANEL_TERMS_URL',
    kind: panelKind.webPage,
    about: 'Your terms, to which people agree by signing up.',
  },
  panelSupportUrl: {
    env: 'VAUBAN_PANEL_SUPPORT_URL',
    kind: panelKind.contact,
    about: 'Address of the support page, linked in the panel and in mails.',
  },
  panelLanguages: {
    env: 'VAUBAN_PANEL_LANGUAGES',
    kind: panelKind.someOf(LANGUAGES),
    default: 'en, de',
    about: 'Languages of the panel, the default first.',
  },
  panelSignUp: {
    env: 'VAUBAN_PANEL_SIGN_UP',
    kind: kind.oneOf(SIGN_UP_MODES),
    defaultText: '`open` in development, `closed` in production',
    about: 'The people who may sign up: anyone, only people invited by a member, or no one.',
  },
  operatorPanel: {
    env: 'VAUBAN_OPERATOR_PANEL',
    kind: kind.oneOf(['off', 'on']),
    defaultText: '`on` in development, `off` in production',
    about: "The operator's pages, under `/operator`; `vaubanctl operator add` gives access.",
  },
  operatorPanelNetworks: {
    env: 'VAUBAN_OPERATOR_PANEL_NETWORKS',
    kind: kind.networks,
    default: '',
    about: "Networks from which the operator's pages can be reached; everywhere if empty.",
  },
  mailSmtpUrl: {
    env: 'VAUBAN_MAIL_SMTP_URL',
    kind: panelKind.smtpServer,
    secret: true,
    about:
      'Mail server for outgoing mail. `smtp://` requires STARTTLS, except on the machine itself. If absent, mails are written to files in the data directory.',
  },
  mailSmtpUrlFile: {
    env: 'VAUBAN_MAIL_SMTP_URL_FILE',
    kind: kind.path,
    about: 'The same from a file, such as a systemd credential.',
  },
  mailFrom: {
    env: 'VAUBAN_MAIL_FROM',
    kind: panelKind.mailbox,
    about: 'Sender of mails; required with a mail server.',
  },
  paymentProviders: {
    env: 'VAUBAN_PAYMENT_PROVIDERS',
    kind: panelKind.someOf(PAYMENT_PROVIDERS),
    defaultText: '`test` in development, none in production',
    about:
      'Payment methods for top-ups, in the order in which they are offered. `test` simulates payments and is refused in production.',
  },
  bankRecipient: {
    env: 'VAUBAN_BANK_RECIPIENT',
    kind: panelKind.line,
    about: 'Recipient of bank transfers.',
  },
  bankIban: {
    env: 'VAUBAN_BANK_IBAN',
    kind: panelKind.iban,
    about: 'The account that bank transfers go to.',
  },
  bankBic: {
    env: 'VAUBAN_BANK_BIC',
    kind: panelKind.bic,
    about: 'BIC of the bank, for transfers from abroad.',
  },
  stripeSecretKey: {
    env: 'VAUBAN_STRIPE_SECRET_KEY',
    kind: kind.word,
    secret: true,
    about:
      'Secret or restricted key of your account at Stripe. A restricted key needs write access to Checkout Sessions, PaymentIntents, Payment Methods, Customers, and Charges and Refunds, and read access to Disputes. Without read access to the last two, payments are not compared with the books, and the log says so each day.',
  },
  stripeSecretKeyFile: {
    env: 'VAUBAN_STRIPE_SECRET_KEY_FILE',
    kind: kind.path,
    about: 'The same from a file.',
  },
  stripeWebhookSecret: {
    env: 'VAUBAN_STRIPE_WEBHOOK_SECRET',
    kind: kind.word,
    secret: true,
    about: 'Signing secret of the webhook endpoint at Stripe, which sends its events to `/webhooks/stripe`.',
  },
  stripeWebhookSecretFile: {
    env: 'VAUBAN_STRIPE_WEBHOOK_SECRET_FILE',
    kind: kind.path,
    about: 'The same from a file.',
  },
  stripeBaseUrl: {
    env: 'VAUBAN_STRIPE_BASE_URL',
    kind: kind.baseUrl,
    default: 'https://api.stripe.com',
    about: 'Address of Stripe.',
  },
} as const satisfies Record<string, Setting>;

/** Secrets that can also be given in a file: the setting of the secret, and that of its file. */
export const SECRET_FILES = [
  ['mailSmtpUrl', 'mailSmtpUrlFile'],
  ['stripeSecretKey', 'stripeSecretKeyFile'],
  ['stripeWebhookSecret', 'stripeWebhookSecretFile'],
] as const;
