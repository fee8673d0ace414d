import { useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Loaded.tsx';
import { Brand } from './Brand.tsx';
import { Confirmation } from './Confirmation.tsx';
import classes from './Shell.module.css';
import { shellTexts } from './shell-texts.ts';
import { useSession } from './site.ts';

const Drawer = lazy(() => import('./Drawer.tsx').then(({ Drawer }) => ({ default: Drawer })));

interface Props {
  /** Absent if there is only one page. */
  navigation?: ReactNode;
  /** The left and right part of the bar above the page. */
  start: ReactNode;
  end: ReactNode;
  children: ReactNode;
}

/** The layout of every page that needs a session, for customers and operators. */
export function Frame({ navigation, start, end, children }: Props) {
  const t = useTexts(shellTexts);
  const { version } = useSession();
  return (
    <div className={classes.app}>
      <a className={classes.skip} href="#page">
        {t.skip}
      </a>
      <aside className={classes.side}>
        <Brand />
        {navigation}
      </aside>
      <div className={classes.column}>
        <header className={classes.top}>
          {navigation && <DrawerButton>{navigation}</DrawerButton>}
          {start}
          <div className={classes.grow} />
          {end}
        </header>
        <main id="page" className={classes.main} tabIndex={-1}>
          <Suspense fallback={<Skeleton />}>{children}</Suspense>
        </main>
        <footer className={classes.footer}>{t.version(version)}</footer>
      </div>
      <Confirmation />
    </div>
  );
}

/** The navigation on narrow screens: behind a button, and closed after a choice. */
function DrawerButton({ children }: { children: ReactNode }) {
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
          <Drawer onClose={() => setOpen(false)}>{children}</Drawer>
        </Suspense>
      )}
    </div>
  );
}
