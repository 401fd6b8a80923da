// The editor in another language: no language pack can be downloaded here, so the window is told its language directly.
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { escape } from './searching.mjs';
import { makeFolder, screenshot, STATUS, useWindow } from './suite.mjs';

const TREE = { '.gitignore': '*.log\n', 'src/login.txt': 'the hashed password\n', 'build.log': 'written\n' };

const TEXTS = {
  fr: {
    command: 'Landmark: Pourquoi ce fichier est-il (ou n’est-il pas) trouvé ?',
    title: 'Pourquoi build.log est-il trouvé, ou non ?',
    missing: 'Aucun fichier ne contient "mot absent" mot pour mot : ceux-ci s’en approchent.',
    rule: 'La règle « *.log » dans .gitignore, ligne 1, l’exclut.',
    ready: 'Landmark. Prêt : 3 fichiers sont indexés. Appuyez sur Entrée pour les actions.',
  },
  'pt-br': {
    command: 'Landmark: Por que este arquivo (não) é encontrado?',
    title: 'Por que build.log é encontrado, ou não?',
    missing: 'Nenhum arquivo tem "mot absent" palavra por palavra: estes chegam perto.',
    rule: 'A regra “*.log” em .gitignore, linha 1, o exclui.',
    ready: 'Landmark. Pronto: 3 arquivos estão indexados. Pressione Enter para ver as ações.',
  },
};

for (const [language, { command, title, rule, ready, missing }] of Object.entries(TEXTS)) {
  describe(`the editor in ${language}`, () => {
    const suite = useWindow(async () => ({ vsix: [await packFakeExtension()], folder: makeFolder(TREE), language }));

    test("the editor's language is spoken: manifest, status and answers", async () => {
      const { wb } = suite;
      await expect(wb.status(STATUS).locator('[role=button]')).toHaveAttribute('aria-label', ready);
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
  });
}
