import { Outlet } from '@tanstack/react-router';
import { LANGUAGES, type Language, setLanguage, useLanguage } from '../settings.ts';
import { Brand } from '../shell/Brand.tsx';
import classes from '../shell/Front.module.css';
import { useTexts } from '../texts.ts';
import { Badge } from '../ui/Badge.tsx';
import { texts } from './texts.ts';

/** The layout of the sign-in pages. */
export function Front() {
  const t = useTexts(texts);
  const language = useLanguage();
  const others = Object.entries(LANGUAGES).filter(([id]) => id !== language);
  return (
    <div className={classes.front}>
      <header className={classes.header}>
        <Brand />
        <Badge tone="info">{t.operator}</Badge>
      </header>
      <main className={classes.main}>
        <Outlet />
      </main>
      <footer className={classes.footer}>
        <a href="/panel/">{t.customers}</a>
        {others.map(([id, label]) => (
          <button key={id} type="button" lang={id} onClick={() => setLanguage(id as Language)}>
            {label}
          </button>
        ))}
      </footer>
    </div>
  );
}
