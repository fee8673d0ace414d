import './tokens.css';
import './base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/errors.ts';
import { newQueryClient } from './api/queries.ts';
import { useLocale } from './format.ts';
import { loadProblemTexts } from './problems.ts';
import { useLanguage } from './settings.ts';
import { newRouter } from './shell/router.tsx';
import { sessionQuery } from './shell/site.ts';
import { Status } from './ui/Status.tsx';

const client = newQueryClient();
const router = newRouter(client);

/** Who is signed out meanwhile, by time or from another browser, is led to the sign-in and comes back to where he was. */
client.getQueryCache().subscribe(({ type, query }) => {
  if (type !== 'updated' || query.queryKey[0] === 'getSession') return;
  const { error } = query.state;
  const wasSignedIn = client.getQueryData(sessionQuery.queryKey) !== undefined;
  if (!wasSignedIn || !(error instanceof ApiError && error.status === 401)) return;
  client.removeQueries({ queryKey: sessionQuery.queryKey });
  void router.invalidate();
});

function App() {
  const language = useLanguage();
  useEffect(() => void loadProblemTexts(language), [language]);
  return (
    <I18nProvider locale={useLocale()}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Status />
      </QueryClientProvider>
    </I18nProvider>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
