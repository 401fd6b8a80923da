// Using the search box as a person does.
import { expect } from '@playwright/test';

/** Opens the search box by its key, asks, and waits for the answer. */
export async function search(wb, query) {
  await expect(async () => {
    await wb.page.keyboard.press('Shift+Alt+KeyL');
    await expect(wb.title).toHaveText(/^Search Code/, { timeout: 2000 });
    // What still ends a jump before it can close the box again.
    await wb.input.fill(query, { timeout: 2000 });
    await expect(wb.input).toHaveValue(query, { timeout: 2000 });
  }).toPass({ timeout: 30_000 });
  // Without an answer a row says so. On a busy machine the processes of low priority take their time.
  await expect(wb.rows).not.toHaveCount(0, { timeout: 20_000 });
  await expect(wb.rows.filter({ hasText: 'Clear Recent Searches' })).toHaveCount(0);
  await expect(wb.idle).toBeAttached({ timeout: 20_000 });
}

/** Asks again until the file comes first; at most for a minute. */
export async function expectFirst(wb, query, name) {
  await expect(async () => {
    await search(wb, query);
    const [first] = await wb.items();
    await escape(wb);
    expect(first?.label).toBe(name);
  }).toPass({ timeout: 60_000 });
}

/** Gives up, and waits until the editor has the focus again: what is opened before that could lose it and close. */
export async function escape(wb) {
  await wb.input.press('Escape');
  await expect(wb.quick).toBeHidden();
  // With no editor open there may be nothing to give it to.
  const hasFocus = () =>
    wb.page.evaluate(
      () =>
        document.activeElement !== document.body || document.querySelector('[role=tab][data-resource-name]') === null,
    );
  await expect(async () => {
    expect(await hasFocus()).toBe(true);
    await wb.page.waitForTimeout(150); // it may be taken and given back
    expect(await hasFocus()).toBe(true);
  }).toPass({ timeout: 10_000 });
}

/** Milliseconds from a question's last key to the row that answers it, as the open search box shows it. */
export function answerTime(wb, question, row) {
  return wb.page.evaluate(
    ([value, wanted]) =>
      new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`no row "${wanted}" after half a minute`)), 30_000);
        const widget = document.querySelector('.quick-input-widget');
        const input = widget.querySelector('input.input');
        const begin = performance.now();
        const observer = new MutationObserver(() => {
          if (!widget.querySelector('.quick-input-list')?.textContent.includes(wanted)) return;
          observer.disconnect();
          resolve(performance.now() - begin);
        });
        observer.observe(widget, { childList: true, subtree: true, characterData: true });
        input.value = value;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }),
    [question, row],
  );
}
