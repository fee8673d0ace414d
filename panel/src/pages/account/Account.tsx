import { Outlet } from '@tanstack/react-router';
import { useTexts } from '../../texts.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { texts } from './texts.ts';

export function Account() {
  const t = useTexts(texts);
  return (
    <Page title={t.settings}>
      <Tabs
        label={t.settings}
        tabs={[
          { label: t.profile, link: { to: '/account' } },
          { label: t.security, link: { to: '/account/security' } },
          { label: t.closeTab, link: { to: '/account/close' } },
        ]}
      />
      <Outlet />
    </Page>
  );
}
