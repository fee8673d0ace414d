export class Rational {
  static readonly zero: Rational = new Rational(0n, 1n);
  readonly numerator: bigint;
  /** Positive; the fraction is fully reduced. */
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator = 1n) {
    const divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0n ? -1n : 1n);
    this.numerator = numerator / divisor;
    this.denominator = denominator / divisor;
  }

  /** Parses a decimal such as "0.08875". */
  static parse(decimal: string): Rational {
    const [whole, digits = ''] = decimal.split('.');
    return new Rational(BigInt(whole! + digits), 10n ** BigInt(digits.length));
  }

  plus({ numerator, denominator }: Rational): Rational {
    return new Rational(
      this.numerator * denominator + numerator * this.denominator,
      this.denominator * denominator,
    );
  }

  minus(other: Rational): Rational {
    return this.plus(new Rational(-other.numerator, other.denominator));
  }

  times({ numerator, denominator }: Rational): Rational {
    return new Rational(this.numerator * numerator, this.denominator * denominator);
  }

  over({ numerator, denominator }: Rational): Rational {
    return this.times(new Rational(denominator, numerator));
  }

  exceeds(other: Rational): boolean {
    return this.minus(other).numerator > 0n;
  }

  static least(a: Rational, b: Rational): Rational {
    return a.exceeds(b) ? b : a;
  }

  static sum(all: Rational[]): Rational {
    return all.reduce((total, one) => total.plus(one), Rational.zero);
  }

  floor(): bigint {
    const quotient = this.numerator / this.denominator;
    return this.numerator < 0n && quotient * this.denominator !== this.numerator ? quotient - 1n : quotient;
  }

  ceil(): bigint {
    return -new Rational(-this.numerator, this.denominator).floor();
  }

  /** Rounds to the nearest integer, halves away from zero. */
  round(): bigint {
    const half = new Rational(1n, 2n);
    return this.numerator < 0n ? this.minus(half).ceil() : this.plus(half).floor();
  }

  /** Formats as a decimal with that many digits, halves away from zero. */
  toDecimal(digits: number): string {
    const scaled = this.times(new Rational(10n ** BigInt(digits))).round();
    const text = (scaled < 0n ? -scaled : scaled).toString().padStart(digits + 1, '0');
    const point = text.length - digits;
    return `${scaled < 0n ? '-' : ''}${text.slice(0, point)}${digits > 0 ? `.${text.slice(point)}` : ''}`;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** "0.20" is "0.2". */
export function plain(rate: string): string {
  return rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate;
}
