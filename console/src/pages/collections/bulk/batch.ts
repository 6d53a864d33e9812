// The same work for many instances: a few at a time, each by itself, with what became of each.

export interface Outcome<T> {
  readonly done: readonly T[];
  readonly failed: readonly { readonly path: string; readonly thrown: unknown }[];
}

const atOnce = 4;

export async function forEach<T>(
  paths: readonly string[],
  work: (path: string) => Promise<T>,
  onProgress: (count: number) => void,
): Promise<Outcome<T>> {
  const done: T[] = [];
  const failed: { path: string; thrown: unknown }[] = [];
  const left = [...paths];
  const take = async (): Promise<void> => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      try {
        done.push(await work(path));
      } catch (thrown) {
        failed.push({ path, thrown });
      }
      onProgress(done.length + failed.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  return { done, failed };
}
