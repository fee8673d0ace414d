export * from './api.ts';
export { type Client, createClient } from './client.ts';
export type { Decide } from './converse.ts';
export { currencyExponent, isCurrency, minorToDecimal, minorToText, moneyFormat } from './currencies.ts';
export { ApiError, ConnectionError, JobFailedError, TimeoutError, VaubanError } from './errors.ts';
export { List, type Page } from './list.ts';
export type { Attempt, ClientClock, ClientOptions, PaidOptions, Reply, RequestOptions } from './options.ts';
export type { GuestSocket, Terminal } from './sockets.ts';
export type { WaitOptions } from './wait.ts';
