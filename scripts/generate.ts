import { writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../server/endpoints/customer/index.ts';
import { buildOpenApi, formatOpenApi } from '../server/http/openapi/build-openapi.ts';

/** Writes openapi.json from the endpoint definitions. */
writeFileSync(new URL('../openapi.json', import.meta.url), formatOpenApi(buildOpenApi(ENDPOINTS)));
