import { newQueryClient } from './api/queries.ts';
import { newRouter } from './shell/router.tsx';
import { start } from './shell/start.tsx';

const client = newQueryClient();
start(client, newRouter(client));
