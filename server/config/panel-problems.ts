import type { Config } from './config.ts';
import type { PaymentProviderName, SignUpMode } from './panel-settings.ts';

type PanelConfig = Pick<
  Config,
  | 'mode'
  | 'panelLanguages'
  | 'mailSmtpUrl'
  | 'mailFrom'
  | 'paymentProviders'
  | 'bankRecipient'
  | 'bankIban'
  | 'stripeSecretKey'
  | 'stripeWebhookSecret'
>;

export function signUpMode({ mode, panelSignUp }: Pick<Config, 'mode' | 'panelSignUp'>): SignUpMode {
  return panelSignUp ?? (mode === 'production' ? 'closed' : 'open');
}

export function isOperatorPanelOn({ mode, operatorPanel }: Pick<Config, 'mode' | 'operatorPanel'>): boolean {
  return (operatorPanel ?? (mode === 'production' ? 'off' : 'on')) === 'on';
}

export function paymentProviders({
  mode,
  paymentProviders,
}: Pick<Config, 'mode' | 'paymentProviders'>): readonly PaymentProviderName[] {
  return paymentProviders ?? (mode === 'production' ? [] : ['test']);
}

/**
 * Returns what is wrong with the combination of these settings, one sentence each; the values themselves are
 * well-formed.
 */
export function panelProblems(config: PanelConfig): string[] {
  const problems: string[] = [];
  const needs = (env: string, value: unknown, why: string) => {
    if (value === undefined) problems.push(`${env}: is required ${why}`);
  };
  if (config.panelLanguages.length === 0)
    problems.push('VAUBAN_PANEL_LANGUAGES: must name at least one language');
  if (config.mailSmtpUrl)
    needs('VAUBAN_MAIL_FROM', config.mailFrom, 'with VAUBAN_MAIL_SMTP_URL: mails need a sender');
  const providers = paymentProviders(config);
  if (config.mode === 'production' && providers.includes('test'))
    problems.push('VAUBAN_PAYMENT_PROVIDERS: `test` only simulates payments and is refused in production');
  if (providers.includes('bank_transfer')) {
    const why = 'for the provider bank_transfer';
    needs('VAUBAN_BANK_RECIPIENT', config.bankRecipient, why);
    needs('VAUBAN_BANK_IBAN', config.bankIban, why);
  }
  if (providers.includes('stripe')) {
    const why = 'for the provider stripe';
    needs('VAUBAN_STRIPE_SECRET_KEY', config.stripeSecretKey, why);
    needs('VAUBAN_STRIPE_WEBHOOK_SECRET', config.stripeWebhookSecret, why);
  }
  return problems;
}
