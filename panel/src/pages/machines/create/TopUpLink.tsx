import { Link, useRouterState } from '@tanstack/react-router';
import { formatMoney, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { createTexts } from './texts.ts';

/**
 * The missing amount, and a link to top up and come back. The purchase then continues with the same Idempotency-Key.
 */
export function TopUpLink({ shortfall, currency }: { shortfall: number; currency: string }) {
  const t = useTexts(createTexts);
  const locale = useLocale();
  const next = useRouterState({ select: ({ location }) => location.href });
  return (
    <Notice
      kind="warn"
      action={
        <Link to="/billing/top-up" search={{ amount: shortfall, next }} className={buttonClass()}>
          {t.topUp}
        </Link>
      }
    >
      {t.missing(formatMoney(shortfall, currency, locale))}
    </Notice>
  );
}
