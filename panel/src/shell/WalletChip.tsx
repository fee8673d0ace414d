import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../api/queries.ts';
import { formatMoney, useLocale } from '../format.ts';
import { useTexts } from '../texts.ts';
import { buttonClass } from '../ui/Button.tsx';
import { shellTexts } from './shell-texts.ts';
import classes from './WalletChip.module.css';

/** The wallet is marked if it lasts fewer days than this. */
const SOON_DAYS = 7;

/** The available balance and how long it will last; shown on every page. */
export function WalletChip() {
  const t = useTexts(shellTexts);
  const locale = useLocale();
  const { data: wallet } = useQuery(read('getWallet'));
  if (!wallet) return <span className={classes.chip} />;
  const { available_minor, currency, runway_days } = wallet;
  const amount = formatMoney(available_minor, currency, locale);
  const isShort = available_minor <= 0 || (runway_days !== null && runway_days < SOON_DAYS);
  return (
    <>
      <Link
        to="/billing"
        className={`${classes.chip} ${isShort ? classes.short : ''}`}
        aria-label={[t.wallet(amount), runway_days !== null && t.lasts(runway_days)]
          .filter(Boolean)
          .join(' ')}
      >
        <span className={classes.amount}>{amount}</span>{' '}
        {runway_days !== null && <small>{t.lasts(runway_days)}</small>}
      </Link>
      <Link to="/billing/top-up" className={`${buttonClass('main')} ${classes.topUp}`}>
        {t.topUp}
      </Link>
    </>
  );
}
