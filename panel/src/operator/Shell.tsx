import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Brand } from '../shell/Brand.tsx';
import { Confirmation } from '../shell/Confirmation.tsx';
import classes from '../shell/Shell.module.css';
import { shellTexts } from '../shell/shell-texts.ts';
import { useSession } from '../shell/site.ts';
import { useTexts } from '../texts.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Loaded.tsx';
import { Enrolment } from './Enrolment.tsx';
import { isEnrolled } from './links.ts';
import { Navigation } from './Navigation.tsx';
import { OperatorMenu } from './OperatorMenu.tsx';
import { texts } from './texts.ts';

const Drawer = lazy(() => import('../shell/Drawer.tsx').then(({ Drawer }) => ({ default: Drawer })));

/** Around every page of an operator who has signed in. Without a second factor there is one page alone. */
export function Shell() {
  const t = useTexts(shellTexts);
  const { operator } = useTexts(texts);
  const mayEnter = isEnrolled(useSession());
  return (
    <div className={classes.app}>
      <a className={classes.skip} href="#page">
        {t.skip}
      </a>
      <aside className={classes.side}>
        <Brand />
        {mayEnter && <Navigation />}
      </aside>
      <div className={classes.column}>
        <header className={classes.top}>
          {mayEnter && <DrawerButton />}
          <Badge tone="info">{operator}</Badge>
          <div className={classes.grow} />
          <OperatorMenu />
        </header>
        <main id="page" className={classes.main} tabIndex={-1}>
          {mayEnter ? (
            <Suspense fallback={<Skeleton />}>
              <Outlet />
            </Suspense>
          ) : (
            <Enrolment />
          )}
        </main>
      </div>
      <Confirmation />
    </div>
  );
}

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
