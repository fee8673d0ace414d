import { Outlet } from '@tanstack/react-router';
import { lazy } from 'react';
import { Finder } from '../shell/Finder.tsx';
import { Frame } from '../shell/Frame.tsx';
import { useSession } from '../shell/site.ts';
import { useTexts } from '../texts.ts';
import { Badge } from '../ui/Badge.tsx';
import { Enrolment } from './Enrolment.tsx';
import { isEnrolled } from './links.ts';
import { Navigation } from './Navigation.tsx';
import { OperatorMenu } from './OperatorMenu.tsx';
import { texts } from './texts.ts';

const OperatorPalette = lazy(() =>
  import('./OperatorPalette.tsx').then(({ OperatorPalette }) => ({ default: OperatorPalette })),
);

/** The layout of every page after sign-in. Without a second factor, only the enrolment page is shown. */
export function Shell() {
  const t = useTexts(texts);
  const mayEnter = isEnrolled(useSession());
  return (
    <Frame
      navigation={mayEnter && <Navigation />}
      start={
        <>
          {mayEnter && <Finder>{(close) => <OperatorPalette onClose={close} />}</Finder>}
          <Badge tone="info">{t.operator}</Badge>
        </>
      }
      end={<OperatorMenu />}
    >
      {mayEnter ? <Outlet /> : <Enrolment />}
    </Frame>
  );
}
