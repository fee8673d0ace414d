import { Security } from '../pages/account/Security.tsx';
import { useTexts } from '../texts.ts';
import { Notice } from '../ui/Notice.tsx';
import { Page, Stack } from '../ui/Page.tsx';
import { texts } from './texts.ts';

/** The only page that an operator without a second factor can open. */
export function Enrolment() {
  const t = useTexts(texts);
  return (
    <Page title={t.enrol}>
      <Stack>
        <Notice kind="warn">{t.enrolWhy}</Notice>
        <Security />
      </Stack>
    </Page>
  );
}
