import { nlriOf } from './components.ts';
import { addressBytes, isFlowspec, type RouteFamily } from './route.ts';

/** In the shape of `google.protobuf.Any`. */
export interface Any {
  type_url: string;
  value: Buffer;
}

/**
 * Returns the BGP bytes of the route in a GoBGP event, which contains nested messages instead of those bytes.
 * Undefined for a kind of route that the edge never announces.
 */
export function nlriOfEvent(family: RouteFamily, { type_url, value }: Any): Buffer | undefined {
  const found = fieldsOf(value);
  if (isFlowspec(family) && type_url.endsWith('.FlowSpecNLRI')) {
    const components = messages(found, 1).map((any) => componentOf(family, any));
    return components.every((one) => one !== undefined) ? nlriOf(components) : undefined;
  }
  if (!isFlowspec(family) && type_url.endsWith('.IPAddressPrefix')) {
    return prefixOf([], number(found, 1), text(found, 2));
  }
  return undefined;
}

function componentOf({ afi }: RouteFamily, any: Buffer): { type: number; value: Buffer } | undefined {
  const outer = fieldsOf(any);
  const [name, found] = [text(outer, 1), fieldsOf(messages(outer, 2)[0] ?? Buffer.alloc(0))];
  const type = number(found, 1);
  if (name.endsWith('.FlowSpecIPPrefix')) {
    return { type, value: prefixOf(afi === 1 ? [] : [number(found, 4)], number(found, 2), text(found, 3)) };
  }
  if (!name.endsWith('.FlowSpecComponent')) return undefined;
  return { type, value: Buffer.concat(messages(found, 2).map(itemOf)) };
}

/** Encodes a list item: the operator contains the length of its value in bytes. */
function itemOf(item: Buffer): Buffer {
  const found = fieldsOf(item);
  const op = number(found, 1);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number(found, 2)));
  return Buffer.concat([Buffer.of(op), bytes.subarray(8 - (1 << ((op >> 4) & 3)))]);
}

function prefixOf(offset: number[], length: number, address: string): Buffer {
  return Buffer.concat([
    Buffer.of(length, ...offset),
    addressBytes(address).subarray(0, Math.ceil(length / 8)),
  ]);
}

/** A field of a protobuf message; a number has its value, anything else its bytes. */
interface Field {
  id: number;
  value: number | Buffer;
}

const number = (fields: Field[], id: number): number => {
  const value = fields.find((field) => field.id === id)?.value ?? 0;
  if (typeof value !== 'number') throw new Error('not a number');
  return value;
};
const messages = (fields: Field[], id: number): Buffer[] =>
  fields.flatMap((field) => (field.id === id && Buffer.isBuffer(field.value) ? [field.value] : []));
const text = (fields: Field[], id: number): string => messages(fields, id)[0]?.toString() ?? '';

const VARINT = 0;
const BYTES = 2;

function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    for (let value = 0, factor = 1; ; factor *= 0x80) {
      const byte = message.readUInt8(at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [id, kind] = [Math.floor(tag / 8), tag % 8];
    if (kind === VARINT) fields.push({ id, value: varint() });
    else if (kind === BYTES) {
      const length = varint();
      fields.push({ id, value: message.subarray(at, at + length) });
      at += length;
    } else throw new Error(`a field of an unsupported type, ${kind}`);
  }
  return fields;
}
