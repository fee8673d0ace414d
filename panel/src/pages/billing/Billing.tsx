import { Link, Outlet } from '@tanstack/react-router';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import classes from './Billing.module.css';
import { texts } from './texts.ts';

export function Billing() {
  const t = useTexts(texts);
  return (
    <Page
      title={t.billing}
      actions={
        <Link to="/billing/top-up" className={`${buttonClass('main')} ${classes.topUp}`}>
          {t.topUp}
        </Link>
      }
    >
      <Tabs
        label={t.billing}
        tabs={[
          { label: t.overview, link: { to: '/billing' } },
          { label: t.invoices, link: { to: '/billing/invoices' } },
          { label: t.payments, link: { to: '/billing/payments' } },
          { label: t.orders, link: { to: '/billing/orders' } },
          { label: t.statement, link: { to: '/billing/statement' } },
          { label: t.usage, link: { to: '/billing/usage' } },
          { label: t.details, link: { to: '/billing/details' } },
        ]}
      />
      <Outlet />
    </Page>
  );
}
