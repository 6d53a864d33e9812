// Invoicing: products, customers, invoices with lines and payments, a ledger.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testApplication } from './harness.ts';
import { InvoicingOracle } from './invoicing/oracle.ts';

const sales = readFileSync(join(import.meta.dirname, 'invoicing', 'src', 'sales.al'), 'utf8');

testApplication({
  name: 'invoicing',
  folder: 'invoicing',
  surface: 'current',
  oracle: (random) => new InvoicingOracle(random),
  next: {
    files: {
      'src/sales.al': sales
        .replace(
          'name String,\n  price Decimal',
          'title String @was("name"),\n  unit String,\n  value Decimal @expr(price * stock),\n  price Decimal',
        )
        .replace('product.name', 'product.title')
        .replace(/entity Reminder \{[^}]*\}\n/, '')
        .replace(/relationship InvoiceReminder .*\n/, '')
        .replace(',\n  reminders Int @expr(count(InvoiceReminder))', '')
        .replace(/event remind \{[^}]*\}\n/, '')
        .replace(/\/\/ The fee grows[\s\S]*?\n\}\n\nevent reprice/, 'event reprice'),
    },
    apply: ['--set', 'Product.unit=piece'],
  },
});
