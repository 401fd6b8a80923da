// What a person does in VS Code's window, by selectors that hold. Nothing here sleeps:
// Playwright's expect() and locators wait for what they name.
import { expect } from '@playwright/test';

/** Runs in the page before the workbench: what a language pack would set, which the workbench must not set back. */
function tellLanguage(language) {
  Object.defineProperty(globalThis, '_VSCODE_NLS_LANGUAGE', { get: () => language, set: () => {} });
}

export class Workbench {
  constructor(page) {
    this.page = page;
    this.quick = page.locator('.quick-input-widget'); // palette, quick pick, input box
    this.input = this.quick.locator('input.input');
    this.rows = this.quick.locator('.quick-input-list [role=option]'); // only rows in view are in the DOM
    this.focusedRow = this.quick.locator('.quick-input-list .monaco-list-row.focused');
    this.title = this.quick.locator('.quick-input-title');
    this.idle = this.quick.locator('.quick-input-progress.done'); // absent while pick.busy
    this.cursor = page.locator('[id="status.editor.selection"]'); // 'Ln 12, Col 1'
    this.activeGroup = page.locator('.editor-group-container.active');
    this.activeTab = this.activeGroup.locator('[role=tab][aria-selected=true]');
    this.notifications = page.locator('.notifications-toasts .notification-list-item-message');
    this.dialog = page.locator('.monaco-dialog-box');
  }

  /** @param options folder or workspace: what to open; ready: a status item to wait for; language: the editor's. */
  static async open(browser, vs, folder, { ready, workspace, language } = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    if (language !== undefined) await page.addInitScript(tellLanguage, language);
    page.setDefaultTimeout(60_000);
    const query = workspace === undefined ? (folder === undefined ? { ew: 'true' } : { folder }) : { workspace };
    await page.goto(`${vs.url}/?${new URLSearchParams(query)}`, { waitUntil: 'commit' });
    const wb = new Workbench(page);
    await page.locator('.monaco-workbench').waitFor();
    if (ready) await wb.status(ready).waitFor();
    return wb;
  }

  /** Loads the window again; a reload of the page would lose what was stored in the last seconds. */
  async reload({ ready } = {}) {
    await this.page.evaluate(() => (globalThis.beforeReload = true));
    await this.run('workbench.action.reloadWindow', 'Developer: Reload Window');
    await this.page.waitForFunction(() => globalThis.beforeReload === undefined);
    await this.page.locator('.monaco-workbench').waitFor();
    if (ready) await this.status(ready).waitFor();
  }

  /** A status bar item; an extension's has the id "publisher.name.itemId". */
  status(id) {
    return this.page.locator(`[id="${id}"]`);
  }

  /** Runs a command from the palette: by its id, found by its title as the palette shows it. */
  async run(id, title) {
    const byId = this.rows.filter({ has: this.page.locator(`[data-quick-input-id="${id}"]`) });
    const row = byId.or(this.rows.filter({ hasText: title })).first(); // older editors do not show the id
    await expect(async () => {
      // an early F1 can go unheard, and what still ends an earlier list can close a new one
      await this.page.keyboard.press('F1');
      await expect(this.input).toHaveValue(/^>/, { timeout: 2000 });
      await this.input.fill(`>${title}`, { timeout: 2000 });
      await row.click({ timeout: 5000 });
    }).toPass({ timeout: 30_000 });
  }

  /** Opens a file by its name through Quick Open; `keep` as a kept tab, else as a preview tab. */
  async openFile(name, { keep = true } = {}) {
    await expect(async () => {
      await this.page.keyboard.press('Control+KeyP');
      await this.input.fill(name, { timeout: 2000 });
      await expect(this.focusedRow).toContainText(name, { timeout: 3000 }); // a name typed early can go unheard
    }).toPass({ timeout: 30_000 });
    await this.input.press('Enter');
    await expect(this.activeTab).toHaveAttribute('data-resource-name', name.split('/').at(-1));
    if (!keep) return;
    await this.run('workbench.action.keepEditor', 'View: Keep Editor');
    await expect(this.quick).toBeHidden();
  }

  /** Opens a file in a preview tab: a single click in the Explorer. */
  async previewFile(name) {
    await this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first().click();
    await expect(this.activeTab).toHaveAttribute('data-resource-name', name);
  }

  /** The items in view, separators too: [{ label, description, detail, separator }]. */
  items() {
    return this.rows.evaluateAll(rows =>
      rows.map(row => ({
        label: row.querySelector('.label-name')?.textContent.trim() ?? '', // an icon is a space
        description: row.querySelector('.label-description')?.textContent ?? '',
        detail: row.querySelector('.quick-input-list-label-meta')?.textContent ?? '',
        separator: row.querySelector('.quick-input-list-separator')?.textContent ?? '',
      })),
    );
  }

  /** The tabs of all groups: [{ name, active, preview, dirty }], group by group. */
  tabs() {
    return this.page.locator('.editor-group-container').evaluateAll(groups =>
      groups.map(group =>
        [...group.querySelectorAll('[role=tab]')].map(tab => ({
          name: tab.getAttribute('data-resource-name'),
          active: tab.getAttribute('aria-selected') === 'true',
          preview:
            tab.querySelector('.label-name, .monaco-icon-label')?.closest('.tab')?.querySelector('.italic') !== null,
          dirty: tab.classList.contains('dirty'),
        })),
      ),
    );
  }

  /** The first line of the active editor that is wholly in view, as a person sees it. */
  firstVisibleLine() {
    return this.activeGroup.locator('.margin-view-overlays .line-numbers').evaluateAll(elements => {
      const inView = elements.filter(element => {
        const view = element.closest('.overflow-guard')?.getBoundingClientRect(); // none while it is taken away
        return view !== undefined && element.getBoundingClientRect().top >= view.top - 0.5;
      });
      return Math.min(...inView.map(element => Number(element.textContent)));
    });
  }

  async accept() {
    await this.input.press('Enter');
  }
}
