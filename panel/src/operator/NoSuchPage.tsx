import { Link } from '@tanstack/react-router';
import { useTexts } from '../texts.ts';
import { buttonClass } from '../ui/Button.tsx';
import { Empty } from '../ui/Page.tsx';
import { to } from './links.ts';
import { texts } from './texts.ts';

export function NoSuchPage() {
  const t = useTexts(texts);
  return (
    <Empty
      title={t.noSuchPage}
      action={
        <Link {...to('/')} className={buttonClass()}>
          {t.home}
        </Link>
      }
    />
  );
}
