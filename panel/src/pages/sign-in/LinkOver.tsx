import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/errors.ts';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { FrontCard } from './FrontCard.tsx';
import { texts } from './texts.ts';

/** For a link that does not work, or not any more. */
export function LinkOver({ error }: { error: Error }) {
  const t = useTexts(texts);
  const isOver =
    error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
  return (
    <FrontCard title={t.linkOver}>
      {isOver ? <p>{t.linkOverWhy}</p> : <Problem error={error} />}
      <Link to="/sign-in" className={buttonClass()}>
        {t.signIn}
      </Link>
    </FrontCard>
  );
}
