import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnnxEmbedder } from '../../src/engine/model/onnxEmbedder';
import type { SearchResponse } from '../../src/engine/types';
import { searchNoteTexts } from '../../src/tools/searchNotes';
import { testModel, testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';

const PROJECT = {
  'src/net/retry.ts':
    '/** Sends a request again when the server does not answer. */\nexport async function retryRequest(url: string, attempts: number) {\n  for (let attempt = 0; attempt < attempts; attempt++) {\n    const response = await send(url);\n    if (response.ok) return response;\n  }\n}\n',
  'src/user/password.ts':
    '/** Checks the password of a user at login. */\nexport function checkPassword(user: User, password: string): boolean {\n  return hash(password) === user.passwordHash;\n}\n',
  'src/files/watcher.ts':
    '/** Watches a folder and reports changed files. */\nexport function watchFolder(folder: string, onChange: (file: string) => void) {\n  return fs.watch(folder, (_, file) => onChange(file));\n}\n',
  'src/text/markdown.ts':
    '/** Renders headings and lists as HTML. */\nexport function renderMarkdown(source: string): string {\n  return source.split("\\n").map(renderBlock).join("");\n}\n',
  'src/cache/expiry.ts':
    '/** Removes expired entries from the cache. */\nexport function removeExpired(cache: Map<string, Entry>, now: number) {\n  for (const [key, entry] of cache) if (entry.expires < now) cache.delete(key);\n}\n',
  'src/date/timezone.ts':
    '/** Converts a date to the time zone of the reader. */\nexport function toTimezone(date: Date, zone: string): Date {\n  return new Date(date.getTime() + offsetOf(zone));\n}\n',
  'src/database/backup.ts':
    '/** Writes a backup of the database to disk. */\nexport async function backupDatabase(database: Database, path: string) {\n  await writeFile(path, database.serialize());\n}\n',
  'src/ui/colorPicker.ts':
    '/** Lets the user choose the color of a button. */\nexport class ColorPicker {\n  choose(color: string) {\n    this.button.style.color = color;\n  }\n}\n',
  'src/log/rotate.ts':
    '/** Starts a new log file when the old one is too big. */\nexport function rotateLog(path: string, limit: number) {\n  if (sizeOf(path) > limit) rename(path, `${path}.1`);\n}\n',
  'src/math/matrix.ts':
    '/** Multiplies two matrices. */\nexport function multiply(a: number[][], b: number[][]): number[][] {\n  return a.map(row => b[0].map((_, at) => dot(row, column(b, at))));\n}\n',
  'src/pay/receipt.ts':
    '// 영수증을 인쇄하고 세금을 계산한다\nexport function printReceipt(total: number) {\n  print(total * 1.1);\n}\n',
  'src/geo/route.ts':
    '// 计算两个城市之间的最短路线\nexport function route(from: City, to: City) {\n  return dijkstra(from, to);\n}\n',
  'src/mail/queue.ts':
    '// Очередь исходящих писем с повтором отправки\nexport class MailQueue {\n  push(mail: Mail) {}\n}\n',
};

/** What is asked, and the file that answers; none for what the project does not have. */
const KNOWN: readonly (readonly [query: string, path: string])[] = [
  ['dónde se reintenta una petición cuando el servidor no responde', 'src/net/retry.ts'],
  ['cómo se comprueba la contraseña del usuario', 'src/user/password.ts'],
  ['vigilar una carpeta y avisar de los archivos cambiados', 'src/files/watcher.ts'],
  ['eliminar del caché las entradas caducadas', 'src/cache/expiry.ts'],
  ['copia de seguridad de la base de datos', 'src/database/backup.ts'],
  ['wo wird das Passwort des Benutzers geprüft', 'src/user/password.ts'],
  ['abgelaufene Einträge aus dem Zwischenspeicher entfernen', 'src/cache/expiry.ts'],
  ['das Datum in die Zeitzone des Lesers umrechnen', 'src/date/timezone.ts'],
  ['der Benutzer wählt die Farbe einer Schaltfläche', 'src/ui/colorPicker.ts'],
  ['eine neue Protokolldatei beginnen, wenn die alte zu groß ist', 'src/log/rotate.ts'],
];

/** In a script that the model does not know, about what the project has in English only, or not at all. */
const UNREADABLE = [
  '비밀번호는 어디에서 확인하나요',
  '만료된 캐시 항목 삭제',
  '密码在哪里检查',
  '删除过期的缓存条目',
  'где проверяется пароль пользователя',
  'удаление устаревших записей из кэша',
  'كيف يتم التحقق من كلمة المرور',
];

/** Words that stand in a comment. */
const COMMENTED: readonly (readonly [query: string, path: string])[] = [
  ['영수증을 인쇄하고 세금을 계산한다', 'src/pay/receipt.ts'],
  ['城市之间的最短路线', 'src/geo/route.ts'],
  ['очередь исходящих писем', 'src/mail/queue.ts'],
];

test('questions that the model cannot read are translated or left to the words, and never trusted without them', async t => {
  const model = await testModel();
  const session = (): Promise<OnnxEmbedder> => OnnxEmbedder.create(model, { threads: 1 });
  const { open } = await testRuntime(t, { indexEmbedder: session, queryEmbedder: session });
  const { engine, sync } = await open(makeFileTree(t, PROJECT));
  await sync();
  const ask = (query: string): Promise<SearchResponse> => engine.search({ query, limit: 5 });

  for (const [query, path] of KNOWN) {
    const { results, notes = [] } = await ask(query);
    assert.equal(results[0]?.path, path, query);
    assert.equal(results[0].weak, false, query);
    assert.match(searchNoteTexts([{ notes }]).join(), /^Read as (Spanish|German): searched for “.+”\.$/);
  }
  for (const query of UNREADABLE) {
    const { results, notes } = await ask(query);
    const trusted = results.filter(({ weak }) => !weak).map(({ path }) => path);
    assert.deepEqual(trusted, [], query);
    assert.deepEqual(notes, [{ kind: 'unknown-script' }], query);
  }
  for (const [query, path] of COMMENTED) {
    const { results } = await ask(query);
    assert.equal(results[0]?.path, path, query);
    assert.equal(results[0].weak, false, query);
  }
  for (const query of ['wo wird die Atmosphäre des Planeten gezeichnet', 'cómo se afina el violín de la orquesta']) {
    const { results } = await ask(query);
    const trusted = results.filter(({ weak }) => !weak).map(({ path }) => path);
    assert.deepEqual(trusted, [], query);
  }
});
