// A table of many rows: how soon the first are there, that nothing holds up the page while it is scrolled and filtered, and what memory it takes.

import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isMissing, useBrowser } from '../support/browser.ts';
import { visit } from './visit.ts';

const [count, seconds] = [1_000_000, 600];
const portion = 2_000;

const source = `module m
entity Row { id Int @id, name String, state @enum("open", "closed"), amount Decimal, created DateTime, note String @optional }`;

const row = (id: number) => ({
  id,
  name: `Row ${id}`,
  state: id % 3 === 0 ? 'closed' : 'open',
  amount: `${id}.50`,
  created: new Date(1_700_000_000_000 + id * 1000).toISOString(),
  note: id % 2 === 0 ? null : `Note of ${id}`,
});

/** Notes when the first cell is drawn. */
const watch = `
  const look = () => {
    if (document.querySelector('[data-column]') === null) requestAnimationFrame(look);
    else globalThis.drawn = performance.now();
  };
  look();`;

describe.skipIf(isMissing)('a table of many rows', () => {
  const open = useBrowser();

  test('is there with its first rows at once, is scrolled and filtered without holding up the page, and keeps its memory', async () => {
    const { page, go, post, complaints } = await visit(open, source);
    for (let from = 0; from < count; from += portion) {
      const { status } = await post(
        '/m/Row',
        Array.from({ length: Math.min(portion, count - from) }, (_, index) => row(from + index)),
      );
      expect(status).toBe(201);
    }
    const protocol = await page.context().newCDPSession(page);
    await page.addInitScript(watch);
    await go('/data/m/Row');
    const grid = page.getByRole('grid', { name: 'm/Row' });
    await grid.getByRole('gridcell', { name: 'Row 0', exact: true }).waitFor();
    const first = await afterAnswer(page);
    await page.getByText(`${count.toLocaleString('en-US')} rows`).waitFor();
    const before = await memoryOf(protocol);
    const tasks = await taskTrace(protocol);
    const figures = await scrolled(page, protocol, tasks);
    // What is in sight at the end has been read.
    await expect.poll(() => page.locator('[role=grid][aria-busy=true]').count(), { timeout: 60_000 }).toBe(0);
    await tasks.next();
    const scrolling = tasks.take();

    // The last row is reached, though no element is as tall as all of them.
    process.stderr.write(`console, scrolled: ${JSON.stringify({ count, first, scrolling, before, figures })}\n`);
    await grid.locator('[data-index]').nth(5).focus();
    await page.keyboard.press('End');
    await grid.getByRole('gridcell', { name: `Row ${count - 1}`, exact: true }).waitFor({ timeout: 60_000 });
    const began = Date.now();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Attribute').selectOption('name');
    await page.getByLabel('Operator').selectOption('ilike');
    await page.getByLabel('Value').fill('row 77');
    await page.getByRole('button', { name: 'Apply' }).click();
    await grid.getByRole('gridcell', { name: 'Row 77', exact: true }).waitFor({ timeout: 60_000 });
    const filtered = Date.now() - began;
    await tasks.next();
    const filtering = tasks.take();
    const after = await memoryOf(protocol);
    process.stderr.write(`console, filtered: ${JSON.stringify({ filtered, filtering, after })}\n`);
    expect(complaints).toEqual([]);
    expect(await grid.getByRole('row').count()).toBeLessThan(100);
    expect(scrolling.count).toBeGreaterThan(100);
    // The time of the processor: of what is waited for while others have it, the page is not in charge.
    expect(first).toBeLessThan(300);
    expect(Math.max(scrolling.longest, filtering.longest)).toBeLessThan(100);
    const third = Math.floor(figures.length / 3);
    expect(highest(figures.slice(-third))).toBeLessThan(highest(figures.slice(0, third)) + 3);
  }, 1_800_000);
});

/** Milliseconds from the end of the first answer with rows to the first cell. */
async function afterAnswer(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(() => {
      const answers = performance.getEntriesByType('resource').filter((each) => /\\/m\\/Row\\?@limit=100/.test(each.name));
      return globalThis.drawn - Math.min(...answers.map((each) => each.responseEnd));
    })()`),
  );
}

interface Tasks {
  readonly count: number;
  /** Milliseconds of the processor that the longest took, and from its begin to its end. */
  readonly longest: number;
  readonly longestWithWaiting: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The tasks of the thread that draws the page, as the browser traces them; read in parts, since its buffer is bounded. */
async function taskTrace(protocol: CDPSession) {
  let events: TraceEvent[] = [];
  let tasks: Tasks = { count: 0, longest: 0, longestWithWaiting: 0 };
  protocol.on('Tracing.dataCollected', ({ value }) => events.push(...value.map((each): TraceEvent => Object(each))));
  const start = () =>
    protocol.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', '__metadata'] } });
  /** Collecting garbage for a measurement is a task too, and none of the page: `between` is not traced. */
  const next = async (between?: () => Promise<unknown>): Promise<void> => {
    const isComplete = new Promise((resolve) => protocol.once('Tracing.tracingComplete', resolve));
    await protocol.send('Tracing.end');
    await isComplete;
    const isPage = new Set(events.filter((each) => each.args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
    for (const { name, ph, pid, tid, dur = 0, tdur = 0 } of events) {
      if (ph !== 'X' || !name.endsWith('::RunTask') || !isPage.has(`${pid} ${tid}`)) continue;
      const { count: known, longest, longestWithWaiting } = tasks;
      tasks = {
        count: known + 1,
        longest: Math.max(longest, tdur / 1000),
        longestWithWaiting: Math.max(longestWithWaiting, dur / 1000),
      };
    }
    events = [];
    await between?.();
    await start();
  };
  await start();
  const take = (): Tasks => {
    const taken = tasks;
    tasks = { count: 0, longest: 0, longestWithWaiting: 0 };
    return taken;
  };
  return { next, take };
}

async function memoryOf(protocol: CDPSession): Promise<{ readonly megabytes: number; readonly nodes: number }> {
  await protocol.send('HeapProfiler.collectGarbage');
  const { usedSize } = await protocol.send('Runtime.getHeapUsage');
  await protocol.send('Performance.enable');
  const { metrics } = await protocol.send('Performance.getMetrics');
  return { megabytes: Math.round(usedSize / 1e5) / 10, nodes: metrics.find((each) => each.name === 'Nodes')?.value ?? 0 };
}

function highest(figures: readonly { readonly megabytes: number }[]): number {
  return Math.max(...figures.map(({ megabytes }) => megabytes));
}

/** By the wheel, with a jump of the bar now and then. */
async function scrolled(page: Page, protocol: CDPSession, tasks: Awaited<ReturnType<typeof taskTrace>>) {
  const figures: Awaited<ReturnType<typeof memoryOf>>[] = [];
  const measure = async () => figures.push(await memoryOf(protocol));
  await page.mouse.move(700, 500);
  const end = Date.now() + seconds * 1000;
  let measured = Date.now();
  for (let round = 1; Date.now() < end; round += 1) {
    for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, 400);
    if (round % 10 === 0)
      await page.evaluate(`{
        const grid = document.querySelector('[role=grid]');
        grid.scrollTop = (${round} * 7919 * 36) % grid.scrollHeight;
      }`);
    if (Date.now() - measured < 20_000) continue;
    measured = Date.now();
    await tasks.next(measure);
  }
  await tasks.next(measure);
  return figures;
}
