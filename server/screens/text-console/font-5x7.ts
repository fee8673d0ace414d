/*
 * The glyphs of oled-font-5x7 (https://github.com/noopkat/oled-font-5x7), which came with this licence; the tilde is added.
 *
 * The MIT License (MIT)
 *
 * Copyright (c) 2014 Suz Hinton
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

/** Five columns per character, two hexadecimal digits each, the lowest bit at the top. */
export const FONT_5X7: Readonly<Record<string, string>> = {
  '!': '00005f0000',
  '"': '0007000700',
  '#': '147f147f14',
  $: '242a7f2a12',
  '%': '2313086462',
  '&': '3649552250',
  "'": '0005030000',
  '(': '001c224100',
  ')': '0041221c00',
  '*': '082a1c2a08',
  '+': '08083e0808',
  ',': '0050300000',
  '-': '0808080808',
  '.': '0060600000',
  '/': '2010080402',
  0: '3e5149453e',
  1: '00427f4000',
  2: '4261514946',
  3: '2141454b31',
  4: '1814127f10',
  5: '2745454539',
  6: '3c4a494930',
  7: '0171090503',
  8: '3649494936',
  9: '064949291e',
  ':': '0036360000',
  ';': '0056360000',
  '<': '0008142241',
  '=': '1414141414',
  '>': '4122140800',
  '?': '0201510906',
  '@': '324979413e',
  A: '7e1111117e',
  B: '7f49494936',
  C: '3e41414122',
  D: '7f4141221c',
  E: '7f49494941',
  F: '7f09090101',
  G: '3e41415132',
  H: '7f0808087f',
  I: '00417f4100',
  J: '2040413f01',
  K: '7f08142241',
  L: '7f40404040',
  M: '7f0204027f',
  N: '7f0408107f',
  O: '3e4141413e',
  P: '7f09090906',
  Q: '3e4151215e',
  R: '7f09192946',
  S: '4649494931',
  T: '01017f0101',
  U: '3f4040403f',
  V: '1f2040201f',
  W: '7f2018207f',
  X: '6314081463',
  Y: '0304780403',
  Z: '6151494543',
  Ä: '7d12127d00',
  Ö: '3d4242423d',
  Ü: '3d4040403d',
  '[': '00007f4141',
  '\\': '0204081020',
  ']': '41417f0000',
  '^': '0402010204',
  _: '4040404040',
  '`': '0001020400',
  a: '2054545478',
  b: '7f48444438',
  c: '3844444420',
  d: '384444487f',
  e: '3854545418',
  f: '087e090102',
  g: '081454543c',
  h: '7f08040478',
  i: '00447d4000',
  j: '2040443d00',
  k: '007f102844',
  l: '00417f4000',
  m: '7c04180478',
  n: '7c08040478',
  o: '3844444438',
  p: '7c14141408',
  q: '081414187c',
  r: '7c08040408',
  s: '4854545420',
  t: '043f444020',
  u: '3c4040207c',
  v: '1c2040201c',
  w: '3c4030403c',
  x: '4428102844',
  y: '0c5050503c',
  z: '4464544c44',
  ä: '2055545578',
  ö: '3a44443a00',
  ü: '3a40403a00',
  '{': '0008364100',
  '|': '00007f0000',
  '}': '0041360800',
  '~': '0804081008',
  '€': '143e554122',
  '†': '08082a1c08',
  '‡': '081c2a0808',
  '°': '0000070507',
};
