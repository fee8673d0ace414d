import { type ReactNode, useState } from 'react';
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

interface Props {
  name: string;
  /** Shown below the name: the account, or the role of the person. */
  place: ReactNode;
  /** Choices that only these pages have. */
  choices: Choice[];
  /** The page to open after signing out. */
  signIn: string;
}

export function PersonMenu({ name, place, choices, signIn }: Props) {
  const t = useTexts(shellTexts);
  const leave = useLeave(signIn);
  const theme = useTheme();
  const language = useLanguage();
  const themes: Record<Theme, string> = { system: t.system, light: t.light, dark: t.dark };
  const all: Choice[] = [
    ...choices,
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
      choices={all}
    >
      <strong className={classes.name}>{name}</strong>
      <span className={classes.account}>{place}</span>
    </Menu>
  );
}

/** Signs out. Reloads the whole page so that no data of the account remains. */
function useLeave(signIn: string): () => void {
  const [isLeaving, setLeaving] = useState(false);
  const signOut = useChange('signOut');
  return () => {
    if (isLeaving) return;
    setLeaving(true);
    signOut.mutate({}, { onSuccess: () => location.assign(signIn), onError: () => setLeaving(false) });
  };
}

function initials(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter(Boolean);
  return (words.length > 1 ? words[0]![0]! + words.at(-1)![0]! : (words[0] ?? '?').slice(0, 2)).toUpperCase();
}
