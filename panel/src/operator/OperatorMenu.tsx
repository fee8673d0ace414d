import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../api/queries.ts';
import {
  LANGUAGES,
  type Language,
  setLanguage,
  setTheme,
  type Theme,
  useLanguage,
  useTheme,
} from '../settings.ts';
import menuClasses from '../shell/AccountMenu.module.css';
import { shellTexts } from '../shell/shell-texts.ts';
import { useSession } from '../shell/site.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { type Choice, Menu } from '../ui/Menu.tsx';
import { isEnrolled, to } from './links.ts';
import { texts } from './texts.ts';

/** Who has signed in, theme, language, and the way out. */
export function OperatorMenu() {
  const t = useTexts(shellTexts);
  const own = useTexts(texts);
  const session = useSession();
  const { email } = session.person;
  const client = useQueryClient();
  const navigate = useNavigate();
  const theme = useTheme();
  const language = useLanguage();
  const signOut = useChange('signOut', {
    onDone: () => {
      client.clear();
      location.assign('/operator/sign-in');
    },
  });
  const themes: Record<Theme, string> = { system: t.system, light: t.light, dark: t.dark };
  const choices: Choice[] = [
    ...(isEnrolled(session)
      ? [
          {
            id: 'security',
            label: own.security,
            icon: 'gear' as const,
            onAction: () => void navigate(to('/security') as Parameters<typeof navigate>[0]),
          },
        ]
      : []),
    ...Object.entries(themes).map(
      ([id, label]): Choice => ({
        id: `theme-${id}`,
        label: `${t.theme}: ${label}`,
        icon: id === 'dark' ? 'moon' : id === 'light' ? 'sun' : 'screen',
        isCurrent: id === theme,
        onAction: () => setTheme(id as Theme),
      }),
    ),
    ...Object.entries(LANGUAGES).map(
      ([id, label]): Choice => ({
        id: `language-${id}`,
        label,
        icon: 'globe',
        isCurrent: id === language,
        onAction: () => setLanguage(id as Language),
      }),
    ),
    { id: 'sign-out', label: t.signOut, icon: 'sign-out', onAction: () => signOut.mutate({}) },
  ];
  return (
    <Menu
      label={t.account}
      trigger={
        <Button look="round">
          {email.slice(0, 2).toUpperCase()}
          <span className="visually-hidden"> {t.you(email)}</span>
        </Button>
      }
      choices={choices}
    >
      <strong className={menuClasses.name}>{email}</strong>
      <span className={menuClasses.account}>{own.operator}</span>
    </Menu>
  );
}
