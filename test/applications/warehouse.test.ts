// A warehouse in the earlier syntax: sites down to lots, products, suppliers, workers, orders that are packed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testApplication } from './harness.ts';
import { WarehouseOracle } from './warehouse/oracle.ts';

const [stock, trade] = ['stock', 'trade'].map((name) =>
  readFileSync(join(import.meta.dirname, 'warehouse', 'wh', `${name}.platform`), 'utf8'),
);

testApplication({
  name: 'warehouse',
  folder: 'warehouse',
  surface: 'earlier',
  oracle: (random) => new WarehouseOracle(random),
  next: {
    files: {
      'wh/stock.platform': String(stock)
        .replace('(entity :Product\n  {:Sku {:type :String :guid true}\n   :Name :String', nextProduct)
        .replace('(text/upper-case :Name)', '(text/upper-case :Caption)'),
      'wh/trade.platform': String(trade).replace(/\(entity :Carrier[^)]*\)\n/, ''),
    },
    apply: ['--set', 'Wh.Stock/Product.Unit=piece'],
  },
});

function nextProduct(before: string): string {
  return `${before.replace(':Name :String', ':Caption {:type :String :was :Name}')}
   :Unit :String
   :Twice {:type :Decimal :expr '(* 2 :Gross)}`;
}
