import { useNavigate } from '@tanstack/react-router';
import { PersonMenu } from '../shell/PersonMenu.tsx';
import { useSession } from '../shell/site.ts';
import { useTexts } from '../texts.ts';
import type { Choice } from '../ui/Menu.tsx';
import { isEnrolled, to } from './links.ts';
import { texts } from './texts.ts';

export function OperatorMenu() {
  const t = useTexts(texts);
  const session = useSession();
  const navigate = useNavigate();
  const security: Choice = {
    id: 'security',
    label: t.security,
    icon: 'gear',
    onAction: () => void navigate(to('/security') as Parameters<typeof navigate>[0]),
  };
  return (
    <PersonMenu
      name={session.person.email}
      place={t.operator}
      choices={isEnrolled(session) ? [security] : []}
      signIn="/operator/sign-in"
    />
  );
}
