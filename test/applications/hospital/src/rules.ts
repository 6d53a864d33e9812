// What the model cannot say by itself. Decimals come as texts.

export function positive(value: string | number): boolean | string {
  return Number(value) > 0 || 'must be more than nothing';
}

export function endsAfter(ends: string, visit: { at: string }): boolean | string {
  return moment(ends) > moment(visit.at) || 'must be after its beginning';
}

/** Without a zone it is UTC. */
function moment(text: string): number {
  return Date.parse(/Z|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
}

export function fee(): string {
  return '20.50';
}

export function initials(name: string): string {
  return name
    .split(' ')
    .map((part) => part.slice(0, 1))
    .join('');
}

export function schedule(times: readonly string[], drug: string): string {
  return `${drug}: ${times
    .map((time) => time.slice(0, 5))
    .sort()
    .join(', ')}`;
}

export function hour(number: number): string {
  return `${String(6 + Number(number)).padStart(2, '0')}:00:00`;
}

export function limit(amount: string, limits: { adult?: number } | null): boolean {
  if (limits?.adult !== undefined && Number(amount) > limits.adult) throw new Error(`More than ${limits.adult} at once is too much.`);
  return true;
}

/** Fails where there are none: its author did not think of that. */
export function highest(limits: Readonly<Record<string, number>>): number {
  return Math.max(...Object.values(limits));
}

export function size(list: readonly unknown[]): number {
  return list.length;
}
