import { OPERATOR_OPERATIONS } from '../../../shared/api/operator.ts';
import { speakToOperator } from '../api/operations.ts';
import { newQueryClient } from '../api/queries.ts';
import { start } from '../shell/start.tsx';
import { newOperatorRouter } from './router.tsx';

speakToOperator(OPERATOR_OPERATIONS);
const client = newQueryClient();
// The router's types only know the customers' pages.
start(client, newOperatorRouter(client) as never);
