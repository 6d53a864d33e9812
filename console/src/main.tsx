// The console's first file: puts the application into the page.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { isRetryable } from './api/request.ts';
import { App } from './app.tsx';
import { keepFocus } from './components/focus.ts';
import { followTheme } from './theme.ts';
import './styles/index.css';

followTheme();
keepFocus();
const client = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 5_000, retry: (count, thrown) => count < 2 && isRetryable(thrown), refetchOnWindowFocus: false },
  },
});
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the console');
createRoot(root).render(
  <QueryClientProvider client={client}>
    <App />
  </QueryClientProvider>,
);
