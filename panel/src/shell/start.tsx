import '../tokens.css';
import '../base.css';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { ApiError } from '../api/errors.ts';
import { useLocale } from '../format.ts';
import { loadProblemTexts } from '../problems.ts';
import { useLanguage } from '../settings.ts';
import { Status } from '../ui/Status.tsx';
import type { newRouter } from './router.tsx';
import { sessionQuery } from './site.ts';

/**
 * Renders the pages of a router. A person who is signed out in the meantime, because the session expired or from
 * another browser, is sent to the sign-in page and comes back to the same page.
 */
export function start(client: QueryClient, router: ReturnType<typeof newRouter>): void {
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] === 'getSession') return;
    const { error } = query.state;
    const wasSignedIn = client.getQueryData(sessionQuery.queryKey) !== undefined;
    if (!wasSignedIn || !(error instanceof ApiError && error.status === 401)) return;
    client.removeQueries({ queryKey: sessionQuery.queryKey });
    void router.invalidate();
  });
  createRoot(document.getElementById('root')!).render(<App client={client} router={router} />);
}

function App({ client, router }: { client: QueryClient; router: ReturnType<typeof newRouter> }) {
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
