/**
 * Values of `node:http` that we use besides its types. Importing the module would read all its exports, one of which
 * loads Node's fetch and WebSocket: that takes a fiftieth of the service's start-up time, and nothing here uses them.
 */
export const { maxHeaderSize, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
