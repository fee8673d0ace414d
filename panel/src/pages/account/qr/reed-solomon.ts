/** Multiplies in GF(2^8) with the polynomial of QR codes. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** Returns the generator polynomial for `degree` check bytes, without its leading coefficient. */
function divisorOf(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let round = 0; round < degree; round++) {
    for (let index = 0; index < degree; index++) {
      result[index] = multiply(result[index]!, root) ^ (result[index + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return result;
}

/** Returns the `degree` bytes with which a reader corrects errors in `data`. */
export function checkBytes(data: readonly number[], degree: number): number[] {
  const divisor = divisorOf(degree);
  const rest = Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    divisor.forEach((coefficient, index) => {
      rest[index]! ^= multiply(coefficient, factor);
    });
  }
  return rest;
}
