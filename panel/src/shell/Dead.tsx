import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { defineTexts, useTexts } from '../texts.ts';
import { Button, buttonClass } from '../ui/Button.tsx';
import { Problem } from '../ui/Notice.tsx';
import { Empty } from '../ui/Page.tsx';

const texts = defineTexts(
  {
    none: 'Page not found',
    why: 'It may have been deleted, or the address may be mistyped.',
    home: 'Go to the machines',
    again: 'Reload the page',
  },
  {
    none: 'Seite nicht gefunden',
    why: 'Vielleicht wurde sie gelöscht, oder die Adresse ist falsch geschrieben.',
    home: 'Zu den Maschinen',
    again: 'Seite neu laden',
  },
);

export function NoSuchPage() {
  const t = useTexts(texts);
  return (
    <Empty
      title={t.none}
      action={
        <Link to="/" className={buttonClass()}>
          {t.home}
        </Link>
      }
    >
      {t.why}
    </Empty>
  );
}

/** Shown if a page failed to render, or to load because the service was updated in the meantime. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const t = useTexts(texts);
  return (
    <Problem
      error={error instanceof Error ? error : new Error(String(error))}
      action={<Button onPress={() => location.reload()}>{t.again}</Button>}
    />
  );
}
