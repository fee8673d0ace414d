import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
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
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { type Choice, Menu } from '../ui/Menu.tsx';
import classes from './AccountMenu.module.css';
import { shellTexts } from './shell-texts.ts';
import { useSession } from './site.ts';

/** Who is signed in, other accounts, theme, language, and the way out. */
export function AccountMenu() {
  const t = useTexts(shellTexts);
  const { person, account, accounts } = useSession();
  const name = person.name || person.email;
  const leave = useLeave();
  const switchAccount = useSwitch();
  const theme = useTheme();
  const language = useLanguage();
  const navigate = useNavigate();
  const themes: Record<Theme, string> = { system: t.system, light: t.light, dark: t.dark };
  const others = accounts.filter(({ id }) => id !== account?.id);
  const choices: Choice[] = [
    ...others.map(
      ({ id, name }): Choice => ({
        id,
        label: name,
        icon: 'people',
        onAction: () => switchAccount.mutate({ body: { account_id: id } }),
      }),
    ),
    { id: 'settings', label: t.settings, icon: 'gear', onAction: () => navigate({ to: '/account' }) },
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
    { id: 'sign-out', label: t.signOut, icon: 'sign-out', onAction: leave },
  ];
  return (
    <Menu
      label={t.account}
      trigger={
        <Button look="round">
          {initials(name)}
          <span className="visually-hidden"> {t.you(name)}</span>
        </Button>
      }
      choices={choices}
    >
      <strong className={classes.name}>{name}</strong>
      <span className={classes.account}>{account?.name}</span>
    </Menu>
  );
}

/** Signs out. The page is loaded again, so that nothing of the account is left in it. */
function useLeave(): () => void {
  const [isLeaving, setLeaving] = useState(false);
  const signOut = useChange('signOut');
  return () => {
    if (isLeaving) return;
    setLeaving(true);
    signOut.mutate(
      {},
      { onSuccess: () => location.assign('/panel/sign-in'), onError: () => setLeaving(false) },
    );
  };
}

/** What was read of one account must never be seen in another: the page is loaded again. */
function useSwitch() {
  return useChange('switchAccount', { onDone: () => location.assign('/panel/') });
}

function initials(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter(Boolean);
  return (words.length > 1 ? words[0]![0]! + words.at(-1)![0]! : (words[0] ?? '?').slice(0, 2)).toUpperCase();
}
