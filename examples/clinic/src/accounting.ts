// The program of the accountants, which is another one: it is told over HTTP, and knows by the identifier what it was told before.

interface Entry {
  readonly id: string;
  readonly invoice: string;
  readonly amount: string;
}

export function isReached(): boolean {
  return process.env['ACCOUNTING_URL'] !== undefined;
}

export async function send(this: { readonly signal: AbortSignal }, { id, invoice, amount }: Entry): Promise<void> {
  const response = await fetch(process.env['ACCOUNTING_URL'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ invoice, amount }),
    signal: this.signal,
  });
  if (!response.ok) throw new Error(`The accountants answer ${response.status}.`);
}
