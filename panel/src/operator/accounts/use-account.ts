import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { read } from '../../api/queries.ts';

export const accountQuery = (id: string) => read('operator.getAccount', { params: { id } });

export const useAccountId = () => (useParams({ strict: false }) as { id: string }).id;

/** The account that the page shows; undefined until the surrounding page has loaded it. */
export const useAccount = () => useQuery(accountQuery(useAccountId())).data;
