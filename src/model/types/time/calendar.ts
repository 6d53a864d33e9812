// Days and times of the calendar, for the types Date, Time and DateTime.

/** ISO 8601, extended form: the year 0000 is left out, because not every store can hold it. */
const dateText = /^(\d{4})-(\d{2})-(\d{2})$/;
const timeText = /^(\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?$/;

export function isDate(text: string): boolean {
  const match = dateText.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

/** The time with its seconds written out, or `undefined`. */
export function readTime(text: string): string | undefined {
  const match = timeText.exec(text);
  if (match === null) return undefined;
  const [, hour = '', minute = '', second = '00', fraction = ''] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${hour}:${minute}:${second}${fraction}`;
}

/** A text that is the same for each way to write one moment, and sorts as the moments do: without a `Z`, and without zeros at the end. */
export function momentKey(text: string): string {
  return text.replace(/[.0Z]+$/, '');
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
