import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/errors.ts';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { FrontCard } from './FrontCard.tsx';
import { texts } from './texts.ts';

interface Props {
  error: Error;
  /** The page that sends a new link. */
  again?: '/password-reset';
}

/** Explains why a link no longer works and what to do instead. */
export function LinkOver({ error, again }: Props) {
  const t = useTexts(texts);
  return (
    <FrontCard title={t.linkOver}>
      <LinkProblem error={error} />
      <Link to="/sign-in" className={buttonClass()}>
        {t.signIn}
      </Link>
      {again && <Link to={again}>{t.newLink}</Link>}
    </FrontCard>
  );
}

export function LinkProblem({ error }: { error: Error }) {
  const t = useTexts(texts);
  if (!(error instanceof ApiError && error.code === 'link_invalid')) return <Problem error={error} />;
  const { reason = 'unknown' } = error.details as { reason?: string };
  const reasons: Record<string, string> = {
    used: t.linkUsed,
    expired: t.linkExpired,
    taken: t.linkTaken,
  };
  return <p>{reasons[reason] ?? t.linkUnknown}</p>;
}
