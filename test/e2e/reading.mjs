// What the window shows, as it is read.
import { expect } from '@playwright/test';

/** A folder with one file of each kind that the status and the explanations tell apart. */
export const KINDS = {
  '.gitignore': '# written by the build\n\n*.log\n',
  'README.md': '# Sample\n\nHow a password is kept.\n',
  'src/login.txt': 'compare the hashed password of the user\n',
  'src/broken.txt': 'this one fails on purpose\n',
  'build.log': 'written by the build\n',
  'keys.pem': 'never read\n',
};

/** Closes all editors without saving. */
export async function closeAll(wb) {
  await wb.run('workbench.action.closeAllEditors', 'View: Close All Editors');
  const unsaved = wb.dialog.getByRole('button', { name: "Don't Save" });
  await expect(async () => {
    if (await unsaved.isVisible()) await unsaved.click({ timeout: 1000 });
    await expect(wb.page.locator('[role=tab][data-resource-name]')).toHaveCount(0, { timeout: 1000 });
  }).toPass({ timeout: 20_000 });
}

/** The rows as a screen reader has them: the icon's name, the label, the path, the sentence. */
export async function expectRows(wb, expected) {
  const said = () => wb.rows.evaluateAll(rows => rows.map(row => row.getAttribute('aria-label').replace(/\s+/g, ' ')));
  await expect.poll(said).toEqual(expected);
}

/** Everything below an element that can be focused or chosen has a name that a screen reader says. */
export async function expectNamed(place) {
  const focusable = place.locator(
    'input, textarea, a, button, [role=button], [role=checkbox], [role=option], [role=treeitem], [role=tab], [tabindex="0"]',
  );
  const unnamed = () =>
    focusable.evaluateAll(elements =>
      elements
        .filter(element => element.getClientRects().length > 0)
        .filter(element => element.tabIndex >= 0 || element.matches('[role=option], [role=treeitem]'))
        .filter(element => {
          const named = ['aria-label', 'title', 'placeholder', 'alt'].map(name => element.getAttribute(name));
          const by = element.getAttribute('aria-labelledby');
          const label = [...named, by === null ? null : document.getElementById(by)?.textContent, element.textContent];
          return !label.some(text => (text ?? '').trim() !== '');
        })
        .map(element => element.outerHTML.slice(0, 200)),
    );
  await expect.poll(unnamed).toEqual([]);
  expect(await focusable.count()).toBeGreaterThan(0);
}
