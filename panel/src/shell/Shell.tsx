import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { followChanges } from '../api/live.ts';
import { isLanguageChosen, setLanguage } from '../settings.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Loaded.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { Brand } from './Brand.tsx';
import { Confirmation } from './Confirmation.tsx';
import { Jobs } from './Jobs.tsx';
import { Navigation } from './Navigation.tsx';
import classes from './Shell.module.css';
import { shellTexts } from './shell-texts.ts';
import { useSession } from './site.ts';
import { WalletChip } from './WalletChip.tsx';

const Drawer = lazy(() => import('./Drawer.tsx').then(({ Drawer }) => ({ default: Drawer })));
const Palette = lazy(() => import('./Palette.tsx').then(({ Palette }) => ({ default: Palette })));

/** Around every page that needs a session. */
export function Shell() {
  const t = useTexts(shellTexts);
  const { person } = useSession();
  const client = useQueryClient();
  useEffect(() => followChanges(client), [client]);
  useEffect(() => {
    if (!isLanguageChosen()) setLanguage(person.locale);
  }, [person.locale]);
  return (
    <div className={classes.app}>
      <a className={classes.skip} href="#page">
        {t.skip}
      </a>
      <aside className={classes.side}>
        <Brand />
        <Navigation />
      </aside>
      <div className={classes.column}>
        <header className={classes.top}>
          <DrawerButton />
          <Finder />
          <div className={classes.grow} />
          <WalletChip />
          <AccountMenu />
        </header>
        <main id="page" className={classes.main} tabIndex={-1}>
          <Jobs />
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Confirmation />
    </div>
  );
}

/** The navigation on a narrow screen: behind a button, and gone when it has led somewhere. */
function DrawerButton() {
  const t = useTexts(shellTexts);
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes because the path has changed.
  useEffect(() => setOpen(false), [path]);
  return (
    <div className={classes.drawerButton}>
      <Button look="quiet" icon="menu" label={t.menu} onPress={() => setOpen(true)} />
      {isOpen && (
        <Suspense>
          <Drawer onClose={() => setOpen(false)}>
            <Navigation />
          </Drawer>
        </Suspense>
      )}
    </div>
  );
}

/** Opens the palette, by its button or by ⌘K, Ctrl K and, outside of a field, a slash. */
function Finder() {
  const t = useTexts(shellTexts);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
      const isCommand = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey;
      if (!isCommand && !(event.key === '/' && !isTyping)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);
  return (
    <>
      <button type="button" className={classes.find} onClick={() => setOpen(true)}>
        <span>{t.find}</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <div className={classes.findSmall}>
        <Button look="quiet" icon="search" label={t.findShort} onPress={() => setOpen(true)} />
      </div>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
