import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { readQuery } from '../../src/engine/search/queryReading';
import { translate } from '../../src/engine/search/translation';
import german from '../../src/engine/search/words/de.json';
import spanish from '../../src/engine/search/words/es.json';
import { foldWord, textWords } from '../../src/engine/search/words/foldedText';
import french from '../../src/engine/search/words/fr.json';
import portuguese from '../../src/engine/search/words/pt.json';

const FILES = { fr: french, pt: portuguese, es: spanish, de: german };

const sentences = (code: string): string[] =>
  readFileSync(`test/fixtures/questions/${code}.txt`, 'utf8').split('\n').filter(Boolean);

const languageOf = (query: string): string | undefined => translate(query)?.language;
const english = (query: string): string | undefined => translate(query)?.text;

test('an English question, a commit subject, a name or a list of languages is English', () => {
  const all = sentences('en');
  assert.ok(all.length >= 200);
  assert.deepEqual(
    all.filter(query => languageOf(query) !== undefined),
    [],
  );
});

for (const language of Object.keys(FILES)) {
  test(`a question in ${language} is recognised, in any case and with accents apart from their letters`, () => {
    const all = sentences(language);
    assert.ok(all.length >= 40);
    for (const query of all) {
      assert.equal(languageOf(query), language, query);
      assert.equal(english(query.normalize('NFD')), english(query), query);
      assert.equal(languageOf(`${query.charAt(0).toUpperCase()}${query.slice(1)} ?`), language, query);
    }
  });
}

test('a question becomes English word by word, without its grammar', () => {
  assert.equal(english('où est supprimé le nœud de l’arbre ?'), 'delete node tree');
  assert.equal(english("qu'est-ce qui empêche deux processus d'écrire ?"), 'prevent two process write');
  assert.equal(english('como o servidor reenvia pedidos que falharam'), 'server resend request fail');
  assert.equal(english('¿dónde se guarda el historial de comandos?'), 'save history command');
  assert.equal(english('wo werden abgelaufene Sitzungen gelöscht'), 'expire session delete');
});

test('an entry of several words wins over its words, in the plural too', () => {
  assert.equal(english('vérifier les mots de passe des utilisateurs'), 'check password user');
  assert.equal(english('mensagens que chegam fora de ordem'), 'message arrive out of order');
  assert.equal(english('leer los parámetros de la línea de comandos'), 'read parameter command line');
  assert.equal(english('den regulären Ausdruck nicht finden'), 'regular expression find');
});

test('names, numbers and unknown words stay as they are', () => {
  assert.equal(english('où le RetryHandler lit-il max_size et /etc/hosts ?'), 'RetryHandler read max_size /etc/hosts');
  assert.equal(english('onde a fila do Zanzibar é lida com HTTP 404'), 'queue Zanzibar read HTTP 404');
});

test('of a long text the first words are read, and what is too long for a word is left alone', () => {
  const long = 'où est supprimé le dossier '.repeat(1000);
  assert.equal(english(long), Array.from({ length: 40 }, () => 'delete folder').join(' '));
  const blob = 'é'.repeat(100_000);
  assert.equal(english(`où est supprimé le dossier ${blob}`), `delete folder ${blob}`);
  assert.equal(languageOf('!'.repeat(100_000) + 'a'.repeat(100_000)), undefined);
});

test('inflected forms are found by their entries', () => {
  const forms: Readonly<
    Record<string, readonly [sentence: (word: string) => string, Readonly<Record<string, string>>]>
  > = {
    fr: [
      word => `où les ${word} dans cette fenêtre`,
      {
        supprimées: 'delete',
        fichiers: 'file',
        journaux: 'log',
        vidée: 'clear',
        vide: 'empty',
        finissent: 'end',
        étendus: 'extend',
        ajoutent: 'add',
        actives: 'active',
        nettoyage: 'clean',
      },
    ],
    pt: [
      word => `onde os ${word} nesta janela`,
      {
        removidas: 'remove',
        funções: 'function',
        imagens: 'image',
        locais: 'local',
        enviando: 'send',
        escrevem: 'write',
        definiu: 'set',
        validação: 'validate',
        rapidamente: 'fast',
      },
    ],
    es: [
      word => `dónde los ${word} en esta ventana`,
      {
        borradas: 'delete',
        funciones: 'function',
        raíces: 'root',
        escribiendo: 'write',
        encuentran: 'find',
        cierran: 'close',
        enviaron: 'send',
        conectarse: 'connect',
        lentamente: 'slow',
      },
    ],
    de: [
      word => `wo wird das ${word} mit diesem Fenster`,
      {
        Dateien: 'file',
        Wörtern: 'word',
        gespeicherten: 'save',
        hochgeladen: 'upload',
        hochzuladen: 'upload',
        Pruefung: 'check',
        Ergebnisse: 'result',
        Dateigröße: 'file size',
        Verbindungsfehler: 'connection error',
        schnellste: 'fast',
      },
    ],
  };
  for (const [code, [sentence, words]] of Object.entries(forms)) {
    for (const [word, expected] of Object.entries(words)) {
      assert.equal(english(sentence(word)), `${expected} window`, `${code}: ${word}`);
    }
  }
});

test('a word that only its ending explains becomes the English word with that ending', () => {
  assert.equal(english('onde está a paravirtualização do processo'), 'paravirtualization process');
  assert.equal(english('où est la monotonicité de la file d’attente'), 'monotonicity queue');
});

test('the dictionaries are clean: nothing empty, nothing twice, lower case, English in ASCII', () => {
  for (const [code, { functionWords, words }] of Object.entries(FILES)) {
    const seen = new Map<string, string>();
    const note = (word: string, where: string): void => {
      assert.notEqual(word.trim(), '', `${code}: an empty word in "${where}"`);
      assert.equal(word, word.trim().toLowerCase(), `${code}: ${word}`);
      assert.equal(word, word.normalize('NFC'), `${code}: ${word}`);
      assert.equal(seen.get(word), undefined, `${code}: "${word}" stands twice`);
      seen.set(word, where);
    };
    const grammar = functionWords.split(' ');
    for (const word of grammar) note(word, 'functionWords');
    assert.equal(new Set(grammar.map(foldWord)).size, grammar.length, `${code}: a function word twice when folded`);
    const folded: string[] = [];
    for (const [meaning, own] of Object.entries(words as Readonly<Record<string, string>>)) {
      assert.match(meaning, /^[a-z][a-z-]*( [a-z-]+)*(, [a-z][a-z-]*( [a-z-]+)*)*$/, code);
      for (const word of own.split(', ')) {
        note(word, meaning);
        assert.ok(
          textWords(word).every(part => part.folded !== ''),
          `${code}: "${word}" cannot be met`,
        );
        folded.push(
          textWords(word)
            .map(part => part.folded)
            .join(' '),
        );
      }
    }
    assert.deepEqual(
      folded.filter((word, at) => folded.indexOf(word) < at),
      [],
      code,
    );
    assert.ok(Object.keys(words).length >= 700, code);
  }
});

const vocabularyOf = (...words: string[]): Vocabulary => new Vocabulary(words);

test('the arms get the English, and of the other words those that the index has', () => {
  const vocabulary = vocabularyOf('delete', 'remove', 'folder', 'dossier', 'effacer');
  const { termsIn, modelText, note } = readQuery('supprimer un dossier temporaire');
  assert.equal(modelText, 'delete folder temporary');
  assert.deepEqual(termsIn(vocabulary).tokens, ['delete', 'folder', 'temporary', 'remove', 'dossier']);
  assert.deepEqual(note, { kind: 'translated', language: 'fr', text: 'delete folder temporary' });
});

test('a word that means something else in English is not looked for as it is', () => {
  const vocabulary = vocabularyOf('file', 'queue', 'data', 'date');
  assert.deepEqual(readQuery('mettre les données dans la file d’attente').termsIn(vocabulary).tokens, [
    'put',
    'data',
    'queue',
  ]);
  assert.deepEqual(readQuery('onde a data é convertida').termsIn(vocabulary).tokens, ['date', 'convert']);
});

test('an English query is passed on as it is', () => {
  const reading = readQuery('where is the cache cleared');
  assert.equal(reading.modelText, 'where is the cache cleared');
  assert.equal(reading.note, undefined);
});

test('a script that the model does not know is left to the words', () => {
  for (const query of ['비밀번호를 어디서 확인하나요', '密码在哪里检查', 'где проверяется пароль', 'أين يتم التحقق']) {
    const { modelText, note, termsIn } = readQuery(query);
    assert.equal(modelText, undefined, query);
    assert.deepEqual(note, { kind: 'unknown-script' });
    assert.ok(termsIn(vocabularyOf()).tokens.length > 0);
  }
  assert.equal(readQuery('the 密码 check').modelText, 'the 密码 check');
  assert.equal(readQuery('404').modelText, '404');
  assert.equal(readQuery('').modelText, '');
});
