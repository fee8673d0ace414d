import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { read } from '../../api/queries.ts';

export const accountQuery = (id: string) => read('operator.getAccount', { params: { id } });

/** Of the account whose page it is. */
export const useAccountId = () => (useParams({ strict: false }) as { id: string }).id;

/** The account whose page it is, which the page around has read. */
export const useAccount = () => useQuery(accountQuery(useAccountId())).data;
