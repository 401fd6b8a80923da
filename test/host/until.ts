/** What `value` gives as soon as it gives something. @throws when it does not within so many milliseconds. */
export async function until<T>(value: () => T | undefined | Promise<T | undefined>, limitMs: number): Promise<T> {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const now = await value();
    if (now !== undefined) return now;
    if (Date.now() > giveUpAt) throw new Error(`still not there after ${limitMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
