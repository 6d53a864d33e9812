// Figures as people read them.

export function bytesText(bytes: number): string {
  const [unit, size] =
    bytes >= 1e9
      ? (['GB', 1e9] as const)
      : bytes >= 1e6
        ? (['MB', 1e6] as const)
        : bytes >= 1e3
          ? (['kB', 1e3] as const)
          : (['bytes', 1] as const);
  return `${(bytes / size).toLocaleString(undefined, { maximumFractionDigits: size >= 1e6 ? 1 : 0 })} ${unit}`;
}

export function millisecondsText(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return 'over 10 s';
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;
  return `${milliseconds.toLocaleString(undefined, { maximumFractionDigits: milliseconds < 10 ? 1 : 0 })} ms`;
}

export function rateText(rate: number): string {
  return rate.toLocaleString(undefined, { maximumFractionDigits: rate < 10 ? 1 : 0 });
}

export function durationText(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0 ? 'less than a minute' : shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
