// Gives numbers the protocols of the interpreter: equal ones are one key of its collections, sorted ones are sorted by value, printed ones can be read again.

import { type Numeric, narrow } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { Decimal, Floating, isNumberObject, type NumberObject, numberProtocols, Whole } from './numbers/number-types.ts';

type Method = (this: unknown, ...values: readonly unknown[]) => unknown;

/** What the interpreter gives for it. */
export interface ProtocolTools {
  /** Makes these methods those of the interpreter's protocols for all objects with this prototype. */
  implement(prototype: object, equals: Method, hash: Method, compare: Method, print: Method): void;
  hash(text: string): unknown;
  write(writer: unknown, text: string): unknown;
}

/** How a number of the service becomes one of this interpreter: classes of its own, because two interpreters name their methods differently. */
export function numberMaker(tools: ProtocolTools): (value: Numeric) => unknown {
  const OwnDecimal = class extends Decimal {};
  const OwnFloating = class extends Floating {};
  const OwnWhole = class extends Whole {};
  for (const { prototype } of [OwnDecimal, OwnFloating, OwnWhole]) implement(prototype, tools);
  return (value) => {
    if (value instanceof Double) return new OwnFloating(value);
    if (value instanceof ExactNumber) return new OwnDecimal(value);
    // One number has one form: otherwise it would be two keys.
    const number = typeof value === 'bigint' ? narrow(value) : value;
    if (typeof number === 'bigint') return new OwnWhole(number);
    return Number.isInteger(number) || !Number.isFinite(number) ? number : new OwnDecimal(new ExactNumber(String(number)), number);
  };
}

/** The interpreter calls them as methods; what it gives for the object itself may be nothing. */
function implement(prototype: object, { implement: install, hash, write }: ProtocolTools): void {
  install(
    prototype,
    function (_, other) {
      return numberProtocols.equals(self(this), other);
    },
    function () {
      return hash(numberProtocols.identity(self(this)));
    },
    function (_, other) {
      return numberProtocols.compare(self(this), other);
    },
    function (_, writer) {
      return write(writer, numberProtocols.written(self(this)));
    },
  );
}

function self(value: unknown): NumberObject {
  if (!isNumberObject(value)) throw new TypeError('A method of a number was called on something else');
  return value;
}
