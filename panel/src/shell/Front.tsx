import { Link, Outlet } from '@tanstack/react-router';
import { LANGUAGES, type Language, setLanguage, useLanguage } from '../settings.ts';
import { useTexts } from '../texts.ts';
import { Brand } from './Brand.tsx';
import classes from './Front.module.css';
import { shellTexts } from './shell-texts.ts';
import { useSite } from './site.ts';

/** The layout of public pages: sign-in and prices. */
export function Front() {
  const t = useTexts(shellTexts);
  const { terms_url, support_url } = useSite();
  const language = useLanguage();
  const others = Object.entries(LANGUAGES).filter(([id]) => id !== language);
  return (
    <div className={classes.front}>
      <header className={classes.header}>
        <Brand />
        <nav className={classes.links} aria-label={t.main}>
          <Link to="/prices">{t.prices}</Link>
          <Link to="/sign-in">{t.signIn}</Link>
        </nav>
      </header>
      <main className={classes.main}>
        <Outlet />
      </main>
      <footer className={classes.footer}>
        {terms_url && <a href={terms_url}>{t.terms}</a>}
        {support_url && <a href={support_url}>{t.support}</a>}
        <a href="/docs">{t.reference}</a>
        <a href="/panel/licenses.md">{t.licences}</a>
        {others.map(([id, label]) => (
          <button key={id} type="button" lang={id} onClick={() => setLanguage(id as Language)}>
            {label}
          </button>
        ))}
      </footer>
    </div>
  );
}
