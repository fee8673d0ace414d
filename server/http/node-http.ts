/**
 * What we use of `node:http` beyond its types. An `import` of it reads every export that it has, one of which loads
 * Node's fetch and WebSocket: a fiftieth of the service's start, for what nothing here uses.
 */
export const { maxHeaderSize, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
