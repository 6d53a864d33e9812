// The warehouse in plain code: what the model of this folder must answer, written without it.

import { Fraction } from '../decimals.ts';
import type { Operation, Oracle } from '../harness.ts';
import type { Random } from '../random.ts';
import { GoodsRequests } from './goods.ts';
import { LinkRequests } from './links.ts';
import { PlaceRequests } from './places.ts';
import {
  shownAisle,
  shownBin,
  shownCustomer,
  shownLines,
  shownLot,
  shownOrder,
  shownPallet,
  shownProduct,
  shownShelf,
  shownSite,
  shownSlips,
  shownWorker,
  tagged,
} from './shown.ts';
import { TradeRequests } from './trade.ts';
import { binPath, lotPath, moment, type Product, shelvesOf, sorted, World } from './world.ts';

export class WarehouseOracle implements Oracle {
  readonly #random: Random;
  readonly #world = new World();
  readonly #places: PlaceRequests;
  readonly #goods: GoodsRequests;
  readonly #choices: readonly (readonly [weight: number, choice: () => Operation])[];

  constructor(random: Random) {
    this.#random = random;
    this.#places = new PlaceRequests(random, this.#world);
    this.#goods = new GoodsRequests(random, this.#world);
    const trade = new TradeRequests(random, this.#world);
    this.#choices = [
      ...placeChoices(this.#places),
      ...goodsChoices(this.#goods),
      ...linkChoices(new LinkRequests(random, this.#world)),
      ...tradeChoices(trade),
    ];
  }

  /** New labels are jotted down by several at once, while others fill one bin. */
  together(): readonly Operation[] {
    const jots = ['z1', 'z2', 'z3', 'z4', 'z5', 'z6'].flatMap((code) => Array.from({ length: 6 }, () => this.#goods.jot(code, 'told')));
    return [...jots, ...this.#places.receiveMany(8)];
  }

  operation(): Operation {
    return this.#random.weighted(this.#choices)();
  }

  lists(): ReadonlyMap<string, readonly object[]> {
    return new Map([...this.#placeLists(), ...this.#goodsLists(), ...this.#tradeLists()]);
  }

  /** Products have a caption in place of a name, a unit, and their gross doubled; carriers are gone. */
  nextLists(): ReadonlyMap<string, readonly object[]> {
    const lists = new Map(this.lists());
    for (const target of [...lists.keys()]) if (/Carrier|Product\?|include=Supplies/.test(target)) lists.delete(target);
    const products = sorted(this.#world.products).map(([, product]) => this.#nextProduct(product));
    lists.set('/api/Wh.Stock/Product', products);
    return lists;
  }

  #nextProduct(product: Product): object {
    const Twice = Fraction.of(product.Cost).times('1.07').times(2);
    const shown = Object.entries(shownProduct(this.#world, product)).filter(([key]) => key !== 'Name');
    return { ...Object.fromEntries(shown), Caption: product.Name, Unit: 'piece', Twice };
  }

  #placeLists(): readonly (readonly [string, readonly object[]])[] {
    const world = this.#world;
    const sites = sorted(world.sites).map(([, site]) => site);
    const shelves = sites.flatMap((site) => shelvesOf(site).map((each) => ({ site, ...each })));
    const lots = world.bins().flatMap((place) => sorted(place.bin.lots).map(([no, lot]) => ({ place, no, lot })));
    return [
      ['/api/Wh.Stock/Site', sites.map((site) => shownSite(world, site))],
      ['/api/Wh.Stock/Aisle', sites.flatMap((site) => sorted(site.aisles).map(([, aisle]) => shownAisle(world, site, aisle)))],
      ['/api/Wh.Stock/Shelf', shelves.map(({ site, aisle, shelf }) => shownShelf(world, site, aisle, shelf))],
      ['/api/Wh.Stock/Bin', world.bins().map((place) => shownBin(world, place))],
      ['/api/Wh.Stock/Lot', lots.map(({ place, no, lot }) => shownLot(world, place, no, lot))],
      [
        '/api/Wh.Stock/Lot?@include=BinLot',
        lots.map(({ place, no, lot }) => ({ ...shownLot(world, place, no, lot), BinLot: shownBin(world, place) })),
      ],
      [
        '/api/Wh.Stock/Lot?Received[lte]=2026-03-01T11:00:00.0%2B01:00&Qty[gt]=3&@sort=-Value,Load,__path__',
        lots
          .filter(({ lot }) => moment(lot.Received) <= moment('2026-03-01T10:00:00Z') && lot.Qty > 3)
          .sort(
            (one, other) =>
              world.lotValue(other.lot).compare(world.lotValue(one.lot)) ||
              world.lotLoad(one.lot).compare(world.lotLoad(other.lot)) ||
              (lotPath(one.place, one.no) < lotPath(other.place, other.no) ? -1 : 1),
          )
          .map(({ place, no, lot }) => shownLot(world, place, no, lot)),
      ],
      ['/api/Wh.Stock/Movement', world.movements.map((each, index) => tagged('Wh.Stock/Movement', { No: index + 1, ...each }))],
      ['/api/Wh.Stock/Marked', world.marked.map((link) => tagged('Wh.Stock/Marked', link))],
    ];
  }

  #supplied(supplier: number): readonly object[] {
    const links = this.#world.supplies.filter((link) => link.Supplier === supplier);
    return sorted(new Map(links.map((link) => [link.Product, link]))).flatMap(([sku, { Price, Days }]) => {
      const product = this.#world.products.get(sku);
      return product === undefined ? [] : [{ ...shownProduct(this.#world, product), '@link': { Price, Days } }];
    });
  }

  /** By an end that stands under a parent: by its guid, and by its path. */
  #linksOfEnds(): readonly (readonly [string, readonly object[]])[] {
    const { inspects, marked } = this.#world;
    const place = this.#world.bin(inspects[0]?.Place ?? '');
    const shelf = marked[0]?.Shelf;
    const found = inspects.filter(({ Place }) => Place === place?.bin.Tag).map((link) => tagged('Wh.Stock/Inspects', link));
    const labels = marked.filter(({ Shelf }) => Shelf === shelf).map((link) => tagged('Wh.Stock/Marked', link));
    return [
      ...(place === undefined ? [] : [place.bin.Tag, encodeURIComponent(binPath(place))]).map(
        (end) => [`/api/Wh.Stock/Inspects?Place=${end}`, found] as const,
      ),
      ...(shelf === undefined ? [] : [[`/api/Wh.Stock/Marked?Shelf=${encodeURIComponent(shelf)}`, labels] as const]),
    ];
  }

  #goodsLists(): readonly (readonly [string, readonly object[]])[] {
    const world = this.#world;
    const products = sorted(world.products).map(([, product]) => product);
    const supplied = (supplier: number) => world.supplies.filter((link) => link.Supplier === supplier);
    return [
      ['/api/Wh.Stock/Product', products.map((product) => shownProduct(world, product))],
      [
        '/api/Wh.Stock/Product?Cost[between]=5,75.50&@sort=-Gross,Sku',
        products
          .filter(({ Cost }) => Fraction.of(Cost).compare(5) >= 0 && Fraction.of(Cost).compare('75.5') <= 0)
          .sort((one, other) => Fraction.of(other.Cost).compare(one.Cost))
          .map((product) => shownProduct(world, product)),
      ],
      ['/api/Wh.Stock/Supplier', sorted(world.suppliers).map(([No, each]) => tagged('Wh.Stock/Supplier', { No, ...each }))],
      ['/api/Wh.Stock/Supplies', world.supplies.map((link) => tagged('Wh.Stock/Supplies', link))],
      [
        '/api/Wh.Stock/Supplier?@include=Supplies',
        sorted(world.suppliers).map(([No, each]) => tagged('Wh.Stock/Supplier', { No, ...each, Supplies: this.#supplied(No) })),
      ],
      ...this.#linksOfEnds(),
      ['/api/Wh.Stock/Supplies?Supplier=2', supplied(2).map((link) => tagged('Wh.Stock/Supplies', link))],
      ['/api/Wh.Stock/Worker', sorted(world.workers).map(([id]) => shownWorker(world, id))],
      ['/api/Wh.Stock/Manages', world.manages.map((link) => tagged('Wh.Stock/Manages', link))],
      ['/api/Wh.Stock/Mentors', world.mentors.map((link) => tagged('Wh.Stock/Mentors', link))],
      ['/api/Wh.Stock/Inspects', world.inspects.map((link) => tagged('Wh.Stock/Inspects', link))],
      ['/api/Wh.Stock/Label', sorted(world.labels).map(([Code, Text]) => tagged('Wh.Stock/Label', { Code, Text }))],
    ];
  }

  #tradeLists(): readonly (readonly [string, readonly object[]])[] {
    const world = this.#world;
    const orders = sorted(world.orders).map(([, order]) => order);
    return [
      ['/api/Wh.Trade/Customer', sorted(world.customers).map(([, customer]) => shownCustomer(world, customer))],
      ['/api/Wh.Trade/Order', orders.map((order) => shownOrder(world, order))],
      [
        '/api/Wh.Trade/Order?At[gt]=2026-01-04T10:00:00.000Z&State[in]=open,sent&@sort=At,-Gross,No',
        orders
          .filter(({ At, State }) => moment(At) > moment('2026-01-04T10:00:00Z') && State !== 'packed')
          .sort((one, other) => moment(one.At) - moment(other.At) || world.gross(other).compare(world.gross(one)))
          .map((order) => shownOrder(world, order)),
      ],
      ['/api/Wh.Trade/Line', orders.flatMap((order) => shownLines(world, order))],
      [
        '/api/Wh.Trade/Line?Profit[null]=true',
        orders.flatMap((order) => shownLines(world, order)).filter((line) => 'Profit' in line && line.Profit === null),
      ],
      ['/api/Wh.Trade/Pallet?@sort=Code', sorted(world.pallets).map(([code]) => shownPallet(world, code))],
      ['/api/Wh.Trade/Slip', orders.flatMap((order) => shownSlips(order))],
      ['/api/Wh.Trade/Placed', world.placed.map((link) => tagged('Wh.Trade/Placed', link))],
      ['/api/Wh.Trade/Carrier', sorted(world.carriers).map(([Code, Rate]) => tagged('Wh.Trade/Carrier', { Code, Rate }))],
    ];
  }
}

type Choices = readonly (readonly [weight: number, choice: () => Operation])[];

function placeChoices(places: PlaceRequests): Choices {
  return [
    [5, () => places.createSite()],
    [2, () => places.addAisle()],
    [3, () => places.addShelf()],
    [4, () => places.addBin()],
    [6, () => places.addLot()],
    [2, () => places.changeSite()],
    [2, () => places.changeShelf()],
    [3, () => places.changeBin()],
    [4, () => places.changeLot()],
    [3, () => places.tree()],
    [2, () => places.remove()],
    [6, () => places.receive()],
    [6, () => places.move()],
    [2, () => places.survey()],
    [1, () => places.look()],
    [1, () => places.clean()],
  ];
}

function goodsChoices(goods: GoodsRequests): Choices {
  return [
    [4, () => goods.createProduct()],
    [4, () => goods.changeProduct()],
    [2, () => goods.sendBack()],
    [1, () => goods.removeProduct()],
    [2, () => goods.createSupplier()],
    [1, () => goods.removeSupplier()],
    [2, () => goods.reprice()],
    [2, () => goods.report()],
    [2, () => goods.createWorker()],
    [1, () => goods.removeWorker()],
    [2, () => goods.hire()],
    [3, () => goods.label()],
    [2, () => goods.query()],
    [5, () => goods.scan()],
  ];
}

function linkChoices(links: LinkRequests): Choices {
  return [
    [3, () => links.supply()],
    [3, () => links.supplyBelow()],
    [1, () => links.unsupply()],
    [2, () => links.changeSupply()],
    [2, () => links.manage()],
    [2, () => links.mentor()],
    [3, () => links.inspect()],
    [1, () => links.inspections()],
    [2, () => links.mark()],
  ];
}

function tradeChoices(trade: TradeRequests): Choices {
  return [
    [3, () => trade.createCustomer()],
    [3, () => trade.changeCustomer()],
    [1, () => trade.removeCustomer()],
    [3, () => trade.createOrder()],
    [3, () => trade.changeOrder()],
    [1, () => trade.removeOrder()],
    [4, () => trade.addLine()],
    [3, () => trade.changeLine()],
    [2, () => trade.removeLine()],
    [2, () => trade.slip()],
    [3, () => trade.link()],
    [1, () => trade.unlink()],
    [1, () => trade.carrier()],
    [3, () => trade.pallet()],
    [2, () => trade.agree()],
    [5, () => trade.place()],
    [6, () => trade.pack()],
    [2, () => trade.turnover()],
    [1, () => trade.cancel()],
  ];
}
