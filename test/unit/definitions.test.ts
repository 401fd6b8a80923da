import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RULES_BY_EXTENSION } from '../../src/engine/lexical/definitionRules';
import { definitionsIn, enclosingSymbol } from '../../src/engine/lexical/definitions';

/** `line kind name` of every definition, kinds by their first letter. */
function found(extension: string, text: string): string[] {
  return definitionsIn(text.split('\n'), extension).map(({ line, kind, name }) => `${line} ${kind.charAt(0)} ${name}`);
}

test('TypeScript and JavaScript', () => {
  const code = `import x from 'y';
export abstract class Store<T> extends Base {
  private readonly rows = new Map();
  constructor(private readonly path: string) {}
  static async open(path: string, options = { a: 1 }): Promise<Store> {
    if (path) {
      return load(path);
    }
    describe('x', () => {
  }
  get size() {
  get(key) {
  #hidden() {
  abstract close(): void;
  handle = async (event: Event) => {
  longOne(
    first: string,
  ): void {
  callMe(
    first,
  );
}
export const makeStore = (a: number) => a;
const total = (a + b) * c;
const LIMIT = 5;
export default class extends Store {}
export type Row<T> = T;
import { type Data, other } from 'z';
Reply.prototype.send = function (payload) {
module.exports = { list: function () {}, };
  key: (a) => a,
// function commented() {}
/*
function alsoCommented() {}
*/
export async function* walk() {}
const fs = require('fs');
enum Kind { A }`;
  assert.deepEqual(found('ts', code), [
    '2 t Store',
    '3 v rows',
    '4 f constructor',
    '5 f open',
    '11 f size',
    '12 f get',
    '13 f hidden',
    '14 f close',
    '15 f handle',
    '16 f longOne',
    '23 f makeStore',
    '24 v total',
    '25 v LIMIT',
    '27 t Row',
    '29 f send',
    '31 f key',
    '36 f walk',
    '38 t Kind',
  ]);
});

test('Python: methods, async, constants; nothing from docstrings', () => {
  const code = `"""Module text
class Wrong:
"""
LIMIT: int = 3
class Right(Base):
    """One line."""
    async def start(self):
        '''
        def wrong(): pass
        '''
        local = 1
    def from_(cls): ...
if hasattr(x, 'y'):
    pass`;
  assert.deepEqual(found('py', code), ['4 v LIMIT', '5 t Right', '7 f start', '12 f from_']);
});

test('Go: receivers and groups', () => {
  const code = `func (s *Server) Serve(l net.Listener) error {
func New() *Server {
type Handler interface {
const (
\tStateNew State = iota
\tStateDone
\t_
)
type (
\tNode struct {
\t\tinner int
\t}
)
var ErrClosed = errors.New("x")
\tvar local = 1
\tdefer func() {`;
  assert.deepEqual(found('go', code), [
    '1 f Serve',
    '2 f New',
    '3 t Handler',
    '5 v StateNew',
    '6 v StateDone',
    '10 t Node',
    '14 v ErrClosed',
  ]);
});

test('Rust: impl functions, macros, no declared modules', () => {
  const code = `pub(crate) mod args;
mod inner {
pub struct Args<'a> {
impl<'a> Args<'a> {
    pub const unsafe fn parse(&self) -> Self {
    fn from(value: String) -> Self {
const LIMIT: usize = 1;
macro_rules! err {
let x = 5;`;
  assert.deepEqual(found('rs', code), ['2 t inner', '3 t Args', '5 f parse', '6 f from', '7 v LIMIT', '8 m err']);
});

test('Java and C#: methods by their types, calls are none', () => {
  const java = `public final class Gson {
  private static final int LIMIT = 4;
  Gson(int a) {
  @Override public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> token) {
  Node<K, V> find(K key) throws IOException {
    return helper(key);
    synchronized (lock) {
    new Thread(task) {
    foo.bar(x);
  abstract void close();`;
  assert.deepEqual(found('java', java), ['1 t Gson', '2 v LIMIT', '3 f Gson', '4 f create', '5 f find', '10 f close']);
  const csharp = `namespace App.Core
public record struct Point(int X);
    public int Size { get; }
    public async Task<int> ReadAsync(string path)
    {
        lock (gate) {
    public Point(int x) : this(x, 0) {`;
  assert.deepEqual(found('cs', csharp), ['1 t Core', '2 t Point', '3 v Size', '4 f ReadAsync', '7 f Point']);
});

test('C and C++: functions, not prototypes, not uses of a type', () => {
  const code = `#define LIMIT 10
struct client;
struct client *createClient(int fd) {
typedef struct dict {
} dict;
typedef void (*callback)(void *);
static int counter = 0;
void prototype(client *c,
               int n);
void defined(client *c,
             int n)
{
    struct task_info info;
    list_for_each(node) {
    call(x);
int
main(int argc, char **argv)
{
void Store::open(const std::string &path) const {
class Reader : public Base {
  virtual int read(char *buffer) override {
  Reader(int a) : a_(a) {}`;
  assert.deepEqual(found('cpp', code), [
    '1 m LIMIT',
    '3 f createClient',
    '4 t dict',
    '5 t dict',
    '6 t callback',
    '7 v counter',
    '10 f defined',
    '17 f main',
    '19 f open',
    '20 t Reader',
    '21 f read',
    '22 f Reader',
  ]);
});

test('Kotlin, Swift, PHP, Ruby and Lua', () => {
  assert.deepEqual(
    found(
      'kt',
      'data class Point(val x: Int)\nfun interface Auth {\ninternal fun <T> List<T>.second(): T {\nconst val LIMIT = 1\n    val local = 2',
    ),
    ['1 t Point', '2 t Auth', '3 f second', '4 v LIMIT'],
  );
  assert.deepEqual(
    found('swift', 'public protocol Shape {\n  class func make() {}\n  static let unit = 1\n    let local = 2'),
    ['1 t Shape', '2 f make', '3 v unit'],
  );
  assert.deepEqual(
    found(
      'php',
      'namespace A\\B;\nfinal class User {\n  const LIMIT = 1;\n  public static function &find($id)\n  # function no()\n  return tap($a, function () {',
    ),
    ['2 t User', '3 v LIMIT', '4 f find'],
  );
  assert.deepEqual(
    found(
      'rb',
      'module A\n  class B::C < D\n  LIMIT = 1\n  def self.open?(path)\n=begin\ndef no\n=end\n  private def from(x)',
    ),
    ['1 t A', '2 t C', '3 v LIMIT', '4 f open', '8 f from'],
  );
  assert.deepEqual(
    found('lua', 'local function a()\nfunction M.b:c()\nM.d = function()\n--[[\nfunction no()\n]]\n  x = 1'),
    ['1 f a', '2 f c', '3 f d'],
  );
});

test('members of enumerations, and nothing that follows or surrounds them', () => {
  const names = (text: string, extension: string): string[] =>
    definitionsIn(text.split('\n'), extension).map(({ name }) => name);
  const typeScript =
    'export const enum Level {\n  // how loud\n  Quiet,\n  Loud = "loud",\n}\nconst other = {\n  Fake,\n};';
  assert.deepEqual(names(typeScript, 'ts'), ['Level', 'Quiet', 'Loud', 'other']);
  const rust =
    'pub enum Error {\n    #[cold] Io(Error),\n    Depth {\n        depth: usize,\n        inner: Box,\n    },\n    Loop = 3,\n}\nfn run() {\n    Io,\n}';
  assert.deepEqual(names(rust, 'rs'), ['Error', 'Io', 'Depth', 'Loop', 'run']);
  const java =
    'enum Kind implements Named {\n  FIRST("a"),\n  SECOND("b") {\n    int size() {\n      return 1;\n    }\n  };\n\n  private final String name;\n  Kind(String name) {\n    this.name = name;\n  }\n}';
  const found = names(java, 'java');
  assert.deepEqual(found.slice(0, 3), ['Kind', 'FIRST', 'SECOND']);
  assert.ok(!found.includes('this') && !found.includes('private'));
  assert.deepEqual(names('enum Suit: string\n{\n    case Hearts = "h";\n    case Spades = "s";\n}', 'php'), [
    'Suit',
    'Hearts',
    'Spades',
  ]);
  assert.deepEqual(names('enum Way {\n  case north, south\n  indirect case step(Way)\n}', 'swift'), [
    'Way',
    'north',
    'step',
  ]);
  const c = 'typedef enum {\n  FLAG_ONE = 0,\n  FLAG_TWO\n} flags;\nenum flags now = FLAG_ONE;\nint x;';
  assert.deepEqual(names(c, 'c').slice(0, 2), ['FLAG_ONE', 'FLAG_TWO']);
  assert.deepEqual(names('let enumeration = {\n  a,\n};\nconst e = schema.enum({\n  b,\n});', 'ts'), [
    'enumeration',
    'e',
  ]);
});

test('prose and unknown languages define nothing', () => {
  assert.deepEqual(found('md', 'class of problems\ndef x'), []);
  assert.deepEqual(found('', 'function x() {'), []);
});

test('no line makes any language slow', () => {
  const units = [
    'a ',
    'a.',
    '(',
    'a(',
    '<a',
    'a<a,',
    ' ',
    '*',
    'a::',
    'export ',
    'static a ',
    '@a(',
    '[]',
    'a=>',
    'fun a.',
    'typedef a ',
    '"',
    '{',
  ];
  const lines = units.flatMap(unit =>
    Array.from({ length: 20 }, (_, at) => (at % 2 ? 'const x: ' : '') + unit.repeat(4000)),
  );
  const started = performance.now();
  for (const extension of RULES_BY_EXTENSION.keys()) definitionsIn(lines, extension);
  const perLine = (performance.now() - started) / (lines.length * RULES_BY_EXTENSION.size);
  assert.ok(perLine < 2, `${perLine} ms a line`);
});

test('the enclosing symbol is the last function or type at or above a line', () => {
  const definitions = [
    { name: 'Store', line: 1, kind: 'type' },
    { name: 'LIMIT', line: 2, kind: 'variable' },
    { name: 'open', line: 5, kind: 'function' },
  ] as const;
  const symbols = [0, 1, 2, 3, 5, 99].map(line => enclosingSymbol(definitions, line));
  assert.deepEqual(symbols, [undefined, 'Store', 'LIMIT', 'Store', 'open', 'open']);
});
