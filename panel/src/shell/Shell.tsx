import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, useEffect } from 'react';
import { followChanges } from '../api/live.ts';
import { isLanguageChosen, setLanguage } from '../settings.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { Finder } from './Finder.tsx';
import { Frame } from './Frame.tsx';
import { Jobs } from './Jobs.tsx';
import { Navigation } from './Navigation.tsx';
import { useSession } from './site.ts';
import { WalletChip } from './WalletChip.tsx';

const CustomerPalette = lazy(() =>
  import('./CustomerPalette.tsx').then(({ CustomerPalette }) => ({ default: CustomerPalette })),
);

export function Shell() {
  const { person } = useSession();
  const client = useQueryClient();
  useEffect(() => followChanges(client), [client]);
  useEffect(() => {
    if (!isLanguageChosen()) setLanguage(person.locale);
  }, [person.locale]);
  return (
    <Frame
      navigation={<Navigation />}
      start={<Finder>{(close) => <CustomerPalette onClose={close} />}</Finder>}
      end={
        <>
          <WalletChip />
          <AccountMenu />
        </>
      }
    >
      <Jobs />
      <Outlet />
    </Frame>
  );
}
