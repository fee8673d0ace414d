import { speakTo } from '../api/operations.ts';
import { OPERATOR_OPERATIONS } from '../api/operator.ts';
import { newQueryClient } from '../api/queries.ts';
import { start } from '../shell/start.tsx';
import { newOperatorRouter } from './router.tsx';

speakTo('/operator/api', OPERATOR_OPERATIONS);
const client = newQueryClient();
// The router's types only know the customers' pages.
start(client, newOperatorRouter(client) as never);
