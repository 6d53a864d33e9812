// Decimals come as texts, and are given back as texts.

function cents(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0').slice(0, 4));
  return text.startsWith('-') ? -value : value;
}

/** Net less the discount in percent, plus the tax on the rest, to the cent. */
export function gross(net: string, tax: string, discount: string): string {
  const before = cents(net) + cents(tax);
  const after = before * (1_000_000n - cents(discount));
  // Of six digits behind the point, four are rounded away: halves away from zero.
  const unit = 100_000_000n;
  const half = after < 0n ? -unit / 2n : unit / 2n;
  const rounded = (after + half) / unit;
  const digits = String(rounded < 0n ? -rounded : rounded).padStart(3, '0');
  return `${rounded < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function positive(value: string | number): boolean | string {
  return Number(value) > 0 || 'must be more than nothing';
}

/** What is paid has no large discount any more. */
export function discountFits(discount: string, invoice: { state: string }): boolean | string {
  return invoice.state !== 'paid' || Number(discount) <= 30 || 'is too large for what is paid';
}
