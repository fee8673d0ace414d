import '../tokens.css';
import '../base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { ApiError } from '../api/errors.ts';
import { speakTo } from '../api/operations.ts';
import { OPERATOR_OPERATIONS } from '../api/operator.ts';
import { newQueryClient } from '../api/queries.ts';
import { useLocale } from '../format.ts';
import { sessionQuery } from '../shell/site.ts';
import { Status } from '../ui/Status.tsx';
import { newOperatorRouter } from './router.tsx';

speakTo('/operator/api', OPERATOR_OPERATIONS);
const client = newQueryClient();
const router = newOperatorRouter(client);

/** An operator whose session has ended is led to the sign-in: these sessions are short. */
client.getQueryCache().subscribe(({ type, query }) => {
  if (type !== 'updated' || query.queryKey[0] === 'getSession') return;
  const { error } = query.state;
  const wasSignedIn = client.getQueryData(sessionQuery.queryKey) !== undefined;
  if (!wasSignedIn || !(error instanceof ApiError && error.status === 401)) return;
  client.clear();
  void router.invalidate();
});

function App() {
  return (
    <I18nProvider locale={useLocale()}>
      <QueryClientProvider client={client}>
        {/* The types of the router know the customers' pages alone. */}
        <RouterProvider router={router as never} />
        <Status />
      </QueryClientProvider>
    </I18nProvider>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
