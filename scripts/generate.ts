import { writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../server/endpoints/operator/index.ts';
import { buildOpenApi, formatOpenApi } from '../server/http/openapi/build-openapi.ts';
import { buildOperatorOpenApi } from '../server/operator/openapi/build-operator-openapi.ts';

const write = (path: string, text: string) => writeFileSync(new URL(`../${path}`, import.meta.url), text);

/** Writes what is made of the endpoint definitions. */
write('openapi.json', formatOpenApi(buildOpenApi(ENDPOINTS)));
write('operator-openapi.json', formatOpenApi(buildOperatorOpenApi(OPERATOR_ENDPOINTS)));
