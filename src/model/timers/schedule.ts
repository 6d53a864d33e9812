// When something is due again and again: `every 5 minutes`, or the five fields of cron. Text to value, and from one moment to the next due one.
// Written here: `croner` (10 and 11) leaves out days (behind 23 February `0 19 1,16,31 * *` is due on 16 March), and runs an hour that clocks show twice both
// times (11) or gives a moment that is over (10); `cron-parser` runs it twice as well.

export type Schedule =
  /** At the multiples of so many milliseconds, counted from 1970 on: the same moments on every machine. */
  | { readonly kind: 'every'; readonly interval: number }
  | {
      readonly kind: 'cron';
      readonly minutes: Field;
      readonly hours: Field;
      readonly days: Field;
      readonly months: Field;
      readonly weekdays: Field;
      /** Both are restricted: then a day fits that fits one of them. */
      readonly eitherDay: boolean;
    };

type Field = ReadonlySet<number>;

export const scheduleForms = '"every 5 minutes", or five fields of cron: "30 6 * * mon-fri"';

const second = 1000;
const unitTimes: ReadonlyMap<string, number> = new Map([
  ['millisecond', 1],
  ['second', second],
  ['minute', 60 * second],
  ['hour', 3600 * second],
  ['day', 24 * 3600 * second],
  ['week', 7 * 24 * 3600 * second],
]);

/** Milliseconds; `Seconds` is a second. */
export function unitTime(word: string): number | undefined {
  return unitTimes.get(word.toLowerCase().replace(/s$/, ''));
}

export const unitWords: readonly string[] = [...unitTimes.keys()];

/** What repeats does so at most once a second, and at least once in four years. */
export const shortestInterval = second;
export const longestInterval = 4 * 366 * 24 * 3600 * second;

/** Nothing where the text is no schedule. */
export function parseSchedule(text: string): Schedule | undefined {
  const every = /^\s*every\s+(?:(\d{1,9})\s+)?([a-z]+)\s*$/i.exec(text);
  if (every !== null) {
    const interval = Number(every[1] ?? 1) * (unitTime(every[2] ?? '') ?? Number.NaN);
    return interval >= shortestInterval && interval <= longestInterval ? { kind: 'every', interval } : undefined;
  }
  return parseCron(text.trim().toLowerCase().split(/\s+/));
}

const monthNames = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function parseCron(fields: readonly string[]): Schedule | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = fields;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, monthNames);
  // Sunday is 0 and 7.
  const weekdays = parseField(weekday, 0, 7, dayNames);
  if (minutes === undefined || hours === undefined || days === undefined || months === undefined || weekdays === undefined)
    return undefined;
  if (more.length > 0) return undefined;
  const eitherDay = !day.startsWith('*') && !weekday.startsWith('*');
  const cron = { kind: 'cron', minutes, hours, days, months, weekdays: new Set([...weekdays].map((each) => each % 7)), eitherDay } as const;
  // "0 0 31 2 *" is a day that there is not.
  return nextTime(cron, Date.UTC(2000, 0, 1), 'UTC') === undefined ? undefined : cron;
}

/** `*`, `1,15`, `9-17`, `*\/10`, `mon-fri`. */
function parseField(text: string, least: number, most: number, names: readonly string[] = []): Field | undefined {
  const values = new Set<number>();
  const numberOf = (word: string): number => {
    const named = word === '' ? -1 : names.indexOf(word);
    return named !== -1 ? named : /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  };
  for (const part of text.split(',')) {
    const found = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,2}))?$/.exec(part);
    if (found === null || (found[1] === '*' && found[2] !== undefined)) return undefined;
    const step = Number(found[3] ?? 1);
    const from = found[1] === '*' ? least : numberOf(found[1] ?? '');
    const isOpen = found[1] === '*' || (found[2] === undefined && found[3] !== undefined);
    const to = isOpen ? most : found[2] === undefined ? from : numberOf(found[2]);
    if (!(from >= least && to <= most && from <= to && step >= 1)) return undefined;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

const minuteTime = 60 * second;
const dayTime = 24 * 60 * minuteTime;
/** 29 February comes again within eight years. */
const mostDays = 8 * 366 + 1;

/** The first due moment behind `after`, both in milliseconds since 1970; the fields of cron are those of clocks in this time zone. */
export function nextTime(schedule: Schedule, after: number, zone: string): number | undefined {
  if (schedule.kind === 'every') return (Math.floor(after / schedule.interval) + 1) * schedule.interval;
  const offset = offsetIn(zone);
  // Days and times are counted on the wall: as if its clock showed UTC.
  const first = Math.floor((after + offset(after)) / dayTime);
  for (let day = first; day < first + mostDays; day += 1) {
    if (!fitsDay(schedule, new Date(day * dayTime))) continue;
    for (const time of timesOf(schedule)) {
      const moment = momentOf(day * dayTime + time, offset);
      if (moment > after) return moment;
    }
  }
  return undefined;
}

function fitsDay({ days, months, weekdays, eitherDay }: Extract<Schedule, { kind: 'cron' }>, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [ofMonth, ofWeek] = [days.has(day.getUTCDate()), weekdays.has(day.getUTCDay())];
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

function timesOf({ hours, minutes }: Extract<Schedule, { kind: 'cron' }>): readonly number[] {
  const ordered = (field: Field): readonly number[] => [...field].sort((a, b) => a - b);
  return ordered(hours).flatMap((hour) => ordered(minutes).map((minute) => (hour * 60 + minute) * minuteTime));
}

type Offset = (moment: number) => number;

/** How far clocks of a zone are ahead of UTC. */
function offsetIn(zone: string): Offset {
  if (zone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return wall - Math.floor(moment / second) * second;
  };
}

/** A time that clocks skip is as long after the skip as it would have been; of one that they show twice the first counts. */
function momentOf(wall: number, offset: Offset): number {
  const [before, behind] = [offset(wall - dayTime), offset(wall + dayTime)];
  const [early, late] = [wall - before, wall - behind];
  if (before === behind || offset(early) === before) return early;
  return offset(late) === behind ? late : early;
}
