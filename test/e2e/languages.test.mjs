// The editor in another language: no language pack can be downloaded here, so the window is told its language directly.
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { closeAll, expectRows } from './reading.mjs';
import { escape } from './searching.mjs';
import { makeFolder, screenshot, STATUS, useWindow } from './suite.mjs';

const TREE = {
  '.gitignore': '*.log\n',
  'src/broken.txt': 'never read\n',
  'src/login.txt': 'the hashed password\n',
  'build.log': 'written\n',
};

const TEXTS = {
  fr: {
    command: 'Landmark: Pourquoi ce fichier est-il (ou n’est-il pas) trouvé ?',
    title: 'Pourquoi build.log est-il trouvé, ou non ?',
    missing: 'Aucun fichier ne contient "mot absent" mot pour mot : ceux-ci s’en approchent.',
    rule: 'La règle « *.log » dans .gitignore, ligne 1, l’exclut.',
    status:
      'Landmark : 1 fichier en échec. Les autres fichiers peuvent être cherchés. Appuyez sur Entrée pour les actions.',
    failures: 'Afficher les fichiers en échec',
    denied: 'Vos droits ne permettent pas de le lire : changez ses permissions.',
    counts: ': 4 fichiers, 8 sections, 32 repères, mis à jour ',
    sizes: /Sur le disque : 21\sko \(mots .+, vecteurs .+, graphe .+, instantané .+\)/,
    found: 'hashed password — 1 endroit dans 1 fichier',
    walkthrough: 'Premiers pas avec Landmark Code Search',
  },
  'pt-br': {
    command: 'Landmark: Por que este arquivo (não) é encontrado?',
    title: 'Por que build.log é encontrado, ou não?',
    missing: 'Nenhum arquivo tem "mot absent" palavra por palavra: estes chegam perto.',
    rule: 'A regra “*.log” em .gitignore, linha 1, o exclui.',
    status: 'Landmark: 1 arquivo falhou. Os outros arquivos podem ser pesquisados. Pressione Enter para ver as ações.',
    failures: 'Mostrar arquivos com falha',
    denied: 'Suas permissões não permitem lê-lo: altere as permissões do arquivo.',
    counts: ': 4 arquivos, 8 seções, 32 marcos, atualizado ',
    sizes: /Em disco: 21\skB \(palavras .+, vetores .+, grafo .+, instantâneo .+\)/,
    found: 'hashed password — 1 lugar em 1 arquivo',
    walkthrough: 'Introdução ao Landmark Code Search',
  },
};

for (const [language, texts] of Object.entries(TEXTS)) {
  const { command, title, rule, status, missing } = texts;
  describe(`the editor in ${language}`, () => {
    const suite = useWindow(async () => ({
      vsix: [await packFakeExtension()],
      folder: makeFolder(TREE),
      env: { LANDMARK_FAKE_FAILED: 'src/broken.txt' },
      language,
    }));

    test("the editor's language is spoken: manifest, status and answers", async () => {
      const { wb } = suite;
      await expect(wb.status(STATUS).locator('[role=button]')).toHaveAttribute('aria-label', status);
      await wb.previewFile('build.log');
      await wb.run('landmark.explainFile', command);
      await expect(wb.title).toHaveText(title);
      await expect(wb.rows.first()).toContainText(rule);
      await screenshot(wb, `language ${language}`);
      await escape(wb);
    });

    test('so is what the engine remarks about an answer', async () => {
      const { wb } = suite;
      await wb.page.keyboard.press('Shift+Alt+KeyL');
      await wb.input.fill('password "mot absent"');
      await expect(wb.rows.first()).toContainText('login.txt');
      await expect(wb.rows.last()).toContainText(missing);
      await screenshot(wb, `note ${language}`);
      await escape(wb);
    });

    test('so is why a file failed', async () => {
      const { wb } = suite;
      await wb.status(STATUS).click();
      await expect(wb.focusedRow).toContainText(texts.failures);
      await screenshot(wb, `menu ${language}`);
      await wb.accept();
      await expectRows(wb, [`error broken.txt, src/broken.txt, ${texts.denied}`]);
      await screenshot(wb, `failed files ${language}`);
      await escape(wb);
    });

    test('so are the counts and sizes at the status item', async () => {
      const { wb } = suite;
      await expect(async () => {
        await wb.page.mouse.move(300, 300);
        await wb.status(STATUS).hover();
        const box = wb.page.locator('.workbench-hover-container');
        await expect(box).toContainText(texts.counts, { timeout: 2000 });
        await expect(box).toContainText(texts.sizes, { timeout: 1000 });
      }).toPass({ timeout: 30_000 });
      await screenshot(wb, `hover ${language}`);
      await wb.page.mouse.move(300, 300);
    });

    test('so are the results view and the walkthrough', async () => {
      const { wb } = suite;
      await wb.page.keyboard.press('Shift+Alt+KeyL');
      await wb.input.fill('hashed password');
      await expect(wb.focusedRow).toContainText('login.txt');
      await wb.input.press('Alt+Enter');
      await expect(wb.page.locator('.pane-body').filter({ hasText: texts.found })).toBeVisible();
      await screenshot(wb, `results ${language}`);
      await closeAll(wb);
      await wb.run('workbench.action.openWalkthrough', 'Welcome: Open Walkthrough...');
      await wb.input.fill(texts.walkthrough);
      await wb.rows.filter({ hasText: texts.walkthrough }).first().click();
      await expect(wb.page.locator('.getting-started-step').first()).toBeVisible();
      await screenshot(wb, `walkthrough ${language}`);
    });
  });
}
