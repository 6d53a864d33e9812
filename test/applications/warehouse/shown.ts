// How the warehouse is shown: each instance with its tags, its computed attributes and its path.

import { Fraction, sum } from '../decimals.ts';
import {
  type Aisle,
  aislePath,
  type Bin,
  binPath,
  type Customer,
  type Line,
  type Lot,
  lotPath,
  type Order,
  type Placed,
  type Product,
  type Shelf,
  type Site,
  shelfPath,
  sorted,
  type World,
} from './world.ts';

export function tagged<T extends object>(type: string, values: T): T & Readonly<Record<string, unknown>> {
  return { 'type-*-tag-*-': 'entity', '-*-type-*-': type, ...values };
}

export function ok(...result: readonly object[]): readonly object[] {
  return [{ status: 'ok', result }];
}

export function shownSite(world: World, site: Site): object {
  const { aisles, ...rest } = site;
  return tagged('Wh.Stock/Site', { ...rest, Aisles: aisles.size, ...totals(world, [...aisles.values()].flatMap(binsIn)) });
}

export function shownAisle(world: World, site: Site, aisle: Aisle): object {
  const { shelves: _, ...rest } = aisle;
  const computed = { City: site.City, ...totals(world, binsIn(aisle)) };
  return tagged('Wh.Stock/Aisle', { ...rest, ...computed, __path__: aislePath(site.Code, aisle.No) });
}

export function shownShelf(world: World, site: Site, aisle: Aisle, shelf: Shelf): object {
  const { bins, ...rest } = shelf;
  const own = [...bins.values()];
  const loads = own.map((bin) => world.load([bin]));
  return tagged('Wh.Stock/Shelf', {
    ...rest,
    City: site.City,
    ...totals(world, own),
    Load: sum(loads),
    Heaviest: greatest(loads),
    Free: world.free(shelf),
    __path__: shelfPath(site.Code, aisle.No, shelf.No),
  });
}

export function shownBin(world: World, place: Placed): object {
  const { lots: _, ...rest } = place.bin;
  const { Spot } = rest;
  return tagged('Wh.Stock/Bin', {
    ...rest,
    Area: Spot === null ? null : Fraction.of(Spot.X).times(Spot.Y).times('1.5'),
    ...totals(world, [place.bin]),
    Load: world.load([place.bin]),
    Room: world.free(place.shelf),
    __path__: binPath(place),
  });
}

export function shownLot(world: World, place: Placed, no: number, lot: Lot): object {
  const computed = { Value: world.lotValue(lot), Load: world.lotLoad(lot) };
  return tagged('Wh.Stock/Lot', { No: no, ...lot, ...computed, __path__: lotPath(place, no) });
}

/** A site with everything in it. */
export function shownTree(world: World, site: Site): object {
  const lotsOf = (place: Placed) => sorted(place.bin.lots).map(([no, lot]) => shownLot(world, place, no, lot));
  const binsOn = (aisle: Aisle, shelf: Shelf) =>
    sorted(shelf.bins).map(([, bin]) => below(shownBin(world, { site, aisle, shelf, bin }), 'BinLot', lotsOf({ site, aisle, shelf, bin })));
  const shelvesIn = (aisle: Aisle) =>
    sorted(aisle.shelves).map(([, shelf]) => below(shownShelf(world, site, aisle, shelf), 'ShelfBin', binsOn(aisle, shelf)));
  const aisles = sorted(site.aisles).map(([, aisle]) => below(shownAisle(world, site, aisle), 'AisleShelf', shelvesIn(aisle)));
  const pallets = sorted(world.pallets).filter(([, pallet]) => pallet.site === site.Code);
  const related = { 'Wh.Stock/SiteAisle': aisles, 'Wh.Trade/Keeps': pallets.map(([code]) => shownPallet(world, code)) };
  return { ...shownSite(world, site), '->': related };
}

export function shownProduct(world: World, product: Product): object {
  const { Cost, Pack, Name, Sku } = product;
  const cost = Fraction.of(Cost);
  return tagged('Wh.Stock/Product', {
    ...product,
    Each: Fraction.of(Pack.Weight).over(Pack.Units).round(4),
    Gross: cost.times('1.07'),
    Grade: cost.compare(10) < 0 ? 'low' : cost.compare('99.5') < 0 ? 'middle' : 'high',
    Title: Name.toUpperCase(),
    Suppliers: world.supplies.filter((each) => each.Product === Sku).length,
  });
}

export function shownWorker(world: World, id: string): object {
  const worker = world.workers.get(id);
  const novices = world.mentors.filter(({ Mentor }) => Mentor === id).map(({ Novice }) => world.workers.get(Novice)?.Wage ?? 0);
  const site = world.sites.get(world.manages.find(({ Worker }) => Worker === id)?.Site ?? '');
  return tagged('Wh.Stock/Worker', { Id: id, ...worker, Novices: novices.length, Payroll: sum(novices), Site: site?.City ?? null });
}

export function shownPallet(world: World, Code: string): object {
  const { Weight, site } = world.pallets.get(Code) ?? { Weight: '0', site: null };
  const path = site === null ? null : `path://Wh.Stock$Site/${encodeURIComponent(site)}/Wh.Trade$Keeps/Wh.Trade$Pallet/${Code}`;
  return tagged('Wh.Trade/Pallet', { Code, Weight, City: world.sites.get(site ?? '')?.City ?? null, __path__: path });
}

export function shownCustomer(world: World, customer: Customer): object {
  const amounts = world.ordersOf(customer.No).map((order) => world.gross(order));
  return tagged('Wh.Trade/Customer', { ...customer, Orders: amounts.length, Spent: sum(amounts), Best: greatest(amounts) });
}

export function shownOrder(world: World, order: Order): object {
  const { lines: _, ...rest } = order;
  const Discount = world.customerOf(order.No)?.Discount ?? null;
  return tagged('Wh.Trade/Order', { ...rest, Discount, Net: world.net(order), Gross: world.gross(order) });
}

export function shownLine(world: World, order: number, no: number, line: Line): object {
  const { slips: _, ...rest } = line;
  const [Amount, Cost] = [world.lineAmount(line), world.cost(line.Sku).times(line.Qty)];
  const Profit = Amount === null ? null : Amount.minus(Cost);
  return tagged('Wh.Trade/Line', { No: no, ...rest, Amount, Cost, Profit, __path__: linePath(order, no) });
}

export function shownLines(world: World, { No, lines }: Order): readonly object[] {
  return sorted(lines).map(([no, line]) => shownLine(world, No, no, line));
}

export function shownSlips({ No, lines }: Order): readonly object[] {
  return sorted(lines).flatMap(([line, { slips }]) =>
    sorted(slips).map(([no, Text]) =>
      tagged('Wh.Trade/Slip', { No: no, Text, __path__: `${linePath(No, line)}/Wh.Trade$LineSlip/Wh.Trade$Slip/${no}` }),
    ),
  );
}

export function below(instance: object, relationship: string, related: readonly object[], component = 'Wh.Stock'): object {
  return { ...instance, '->': { [`${component}/${relationship}`]: related } };
}

function linePath(order: number, line: number): string {
  return `path://Wh.Trade$Order/${order}/Wh.Trade$OrderLine/Wh.Trade$Line/${line}`;
}

function binsIn({ shelves }: Aisle): readonly Bin[] {
  return [...shelves.values()].flatMap(({ bins }) => [...bins.values()]);
}

function totals(world: World, bins: readonly Bin[]): { readonly Units: number; readonly Value: Fraction } {
  const lots = bins.flatMap((bin) => [...bin.lots.values()]);
  return { Units: lots.reduce((total, { Qty }) => total + Qty, 0), Value: world.value(bins) };
}

function greatest(values: readonly Fraction[]): Fraction | null {
  return values.reduce<Fraction | null>((most, each) => (most === null || each.compare(most) > 0 ? each : most), null);
}
