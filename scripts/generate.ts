import { writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../server/endpoints/panel/index.ts';
import { buildOpenApi, formatOpenApi } from '../server/http/openapi/build-openapi.ts';
import { buildOperatorOpenApi } from '../server/operator/openapi/build-operator-openapi.ts';
import { buildPanelOpenApi } from '../server/panel/openapi/build-panel-openapi.ts';
import { emitOperations } from './emit-operations.ts';
import { emitTypes } from './emit-types.ts';

const write = (path: string, text: string) => writeFileSync(new URL(`../${path}`, import.meta.url), text);

/** Writes what is made of the endpoint definitions. */
const customer = buildOpenApi(ENDPOINTS);
write('openapi.json', formatOpenApi(customer));
write('panel/src/api/customer.ts', emitOperations(customer, 'Customer'));
const operator = buildOperatorOpenApi(OPERATOR_ENDPOINTS);
write('operator-openapi.json', formatOpenApi(operator));
write('vaubanctl/operator-api.ts', emitTypes(operator));
const panel = buildPanelOpenApi(PANEL_ENDPOINTS);
write('panel-openapi.json', formatOpenApi(panel));
write('panel/src/api/panel.ts', emitOperations(panel, 'Panel'));
