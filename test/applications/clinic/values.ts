// What the logic of the clinic does, in plain code: appointments without overlap, the stock, invoices with their sums.

import { Fraction, sum } from '../decimals.ts';
import { all, find, type State, type Type, type Values, withRow } from './state.ts';

/** The state behind a write, or undefined where the logic refuses it. */
export function written(before: Values | undefined, row: Values, type: Type, state: State): State | undefined {
  switch (type) {
    case 'Appointment':
      return row['state'] !== 'cancelled' ? booked(row, state) : withRow(state, type, row);
    case 'Stock':
      return Number(row['quantity']) < 0 ? undefined : withRow(state, type, row);
    case 'Treatment':
      return treated(row, state);
    case 'Invoice':
      return paid(before, row, state);
    default:
      return withRow(state, type, row);
  }
}

function booked(row: Values, state: State): State | undefined {
  const [starts, ends] = [String(row['starts']), String(row['ends'])];
  const vet = find(state, 'Staff', row['vet']);
  if (ends <= starts || vet?.['job'] !== 'vet' || vet['clinic'] !== row['clinic']) return undefined;
  const isTaken = all(state, 'Appointment').some(
    (other) => other['id'] !== row['id'] && other['vet'] === row['vet'] && other['state'] !== 'cancelled' && overlaps(row, other),
  );
  return isTaken ? undefined : withRow(state, 'Appointment', row);
}

export function overlaps(one: Values, other: Values): boolean {
  return String(one['starts']) < String(other['ends']) && String(other['starts']) < String(one['ends']);
}

function treated(row: Values, state: State): State | undefined {
  const quantity = Number(row['quantity']);
  const appointment = find(state, 'Appointment', row['appointment']);
  const drug = find(state, 'Drug', row['drug']);
  const stock = all(state, 'Stock').find((each) => each['clinic'] === appointment?.['clinic'] && each['drug'] === row['drug']);
  if (drug === undefined || stock === undefined || quantity < 1 || Number(stock['quantity']) < quantity) return undefined;
  const invoice = find(state, 'Invoice', row['appointment']) ?? { appointment: row['appointment'], state: 'open' };
  if (invoice['state'] === 'paid') return undefined;
  const no = linesOf(row['appointment'], state).length + 1;
  const line = { invoice: row['appointment'], no, text: drug['name'], quantity, price: drug['price'] };
  return [
    ['Treatment', row] as const,
    ['Stock', { ...stock, quantity: Number(stock['quantity']) - quantity }] as const,
    ['Invoice', invoice] as const,
    ['Line', line] as const,
  ].reduce((now, [type, each]) => withRow(now, type, each), state);
}

function paid(before: Values | undefined, row: Values, state: State): State | undefined {
  if (before?.['state'] === 'paid') return undefined;
  const next = withRow(state, 'Invoice', row);
  if (row['state'] !== 'paid') return next;
  return { ...next, told: new Map(next.told).set(String(row['appointment']), grossOf(row['appointment'], state).text()) };
}

function linesOf(invoice: unknown, state: State): readonly Values[] {
  return all(state, 'Line').filter((line) => line['invoice'] === invoice);
}

function amountOf(line: Values): Fraction {
  return Fraction.of(Number(line['quantity'])).times(String(line['price']));
}

function netOf(invoice: unknown, state: State): Fraction {
  return sum(linesOf(invoice, state).map(amountOf));
}

function grossOf(invoice: unknown, state: State): Fraction {
  return netOf(invoice, state).times('1.19').round(2);
}

/** A row with what is computed, as an answer shows it to whoever sees everything. */
export function shown(type: Type, row: Values, state: State): Values {
  if (type === 'Invoice') {
    const { appointment } = row;
    const sums = { net: netOf(appointment, state).text(), gross: grossOf(appointment, state).text() };
    return { ...row, ...sums, lines: linesOf(appointment, state).length };
  }
  if (type !== 'Line') return row;
  const { invoice, ...values } = row;
  const path = `path://clinic$Invoice/${invoice}/clinic$InvoiceLine/clinic$Line/${row['no']}`;
  return { ...values, amount: amountOf(row).text(), state: find(state, 'Invoice', invoice)?.['state'], __path__: path };
}
