import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import manifest from '../../package.json';
import texts from '../../package.nls.json';

/** Icon names stand for nothing in a name that is spoken. */
const spoken = (text: string): string => text.replace(/\$\([^)]*\)/g, '').trim();

function textOf(value: string | undefined): string {
  const [, key = ''] = /^%(.+)%$/.exec(value ?? '') ?? [];
  return key === '' ? (value ?? '') : ((texts as Readonly<Record<string, string>>)[key] ?? '');
}

const { commands, menus, views, viewsContainers, viewsWelcome, walkthroughs, configuration, languageModelTools } =
  manifest.contributes;
const titles = new Map<string, string>(commands.map(({ command, title }) => [command, textOf(title)]));
const icons = new Map<string, string>(
  commands.flatMap(each => ('icon' in each ? [[each.command, each.icon as string] as const] : [])),
);

test('every command has a name of its own, and a person hears whose it is', () => {
  for (const { command, category } of commands) {
    assert.notEqual(spoken(titles.get(command) ?? ''), '', command);
    assert.equal(category, 'Landmark', command);
  }
  const hidden = new Set(menus.commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command));
  const inPalette = commands.map(({ command }) => command).filter(command => !hidden.has(command));
  const names = inPalette.map(command => titles.get(command));
  assert.equal(new Set(names).size, names.length, 'no two commands of the palette have one name');
});

test('what a menu shows as an icon has a name beside it, and no menu has an icon that is none', () => {
  const shownAsIcon = Object.values(menus)
    .flat()
    .filter(item => 'group' in item && /^(navigation|inline)/.test(item.group))
    .map(({ command }) => command);
  assert.ok(shownAsIcon.length >= 5);
  for (const command of shownAsIcon) {
    assert.match(icons.get(command) ?? '', /^\$\([a-z-]+\)$/, command);
    assert.notEqual(titles.get(command) ?? '', '', command);
  }
});

test('views, welcomes, walkthrough steps, pictures, settings and tools have names', () => {
  for (const { title } of viewsContainers.activitybar) assert.notEqual(textOf(title), '');
  for (const { name, contextualTitle } of views.landmark) assert.ok(textOf(name) !== '' && contextualTitle !== '');
  for (const { contents } of viewsWelcome) {
    const links = [...textOf(contents).matchAll(/\[([^\]]*)\]\(command:/g)];
    assert.ok(links.length > 0);
    for (const [, label = ''] of links) assert.notEqual(label.trim(), '');
  }
  for (const { steps } of walkthroughs) {
    for (const { title, description, media } of steps) {
      for (const text of [title, description, media.altText]) assert.notEqual(textOf(text).trim(), '');
    }
  }
  for (const [name, { markdownDescription }] of Object.entries(configuration.properties)) {
    assert.notEqual(textOf(markdownDescription), '', name);
  }
  for (const { displayName, userDescription } of languageModelTools) {
    assert.ok(textOf(displayName) !== '' && textOf(userDescription) !== '');
  }
});

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  node.forEachChild(child => visit(child, look));
}

const namesIn = (node: ts.ObjectLiteralExpression): string[] =>
  node.properties.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []));

test('every icon that the code makes into a button, an item or a row comes with a text', () => {
  let found = 0;
  for (const name of readdirSync('src/extension', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const path = join('src/extension', name);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
    visit(source, node => {
      if (!ts.isObjectLiteralExpression(node)) return;
      const names = namesIn(node);
      if (!names.includes('iconPath') && !names.includes('icon')) return;
      found++;
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      const isNamed = ['tooltip', 'label', 'headline', 'title'].some(each => names.includes(each));
      assert.ok(isNamed, `${path}:${line + 1}`);
    });
  }
  assert.ok(found >= 4);
});
