import type { DefinitionKind } from '../store/records';

/** How a line defines a name. All patterns see at most the first few hundred characters of a line, without its indentation. */
export interface DefinitionRule {
  readonly kind: DefinitionKind;
  /** Matched after the modifiers; group 1 is the name. */
  readonly pattern: RegExp;
  /**
   * `outer`: only without indentation or after a modifier, elsewhere it is a local. `top`: only without indentation.
   * `member`: only with both.
   */
  readonly only?: 'outer' | 'top' | 'member';
}

/** How `type name(parameters) {` is told from a call. */
export interface CallableStyle {
  /** `script`: no type in front (JavaScript); `typed`: a type in front (Java, C#, Dart); `c`: C and its kin. */
  readonly shape: 'script' | 'typed' | 'c';
  /** What must follow the closing parenthesis. */
  readonly after: RegExp;
}

export interface LanguageRules {
  readonly comment: 'slash' | 'hash' | 'python' | 'ruby' | 'php' | 'dash' | 'semicolon' | 'percent';
  /** One modifier with the space behind it. */
  readonly modifier?: RegExp;
  readonly rules: readonly DefinitionRule[];
  readonly callable?: CallableStyle;
  /** Go: `const (` opens a group of names, one a line. */
  readonly groups?: boolean;
}

const NAME = String.raw`([\p{L}_$][\p{L}\p{M}\p{Nd}_$]*)`;

/** A rule from a pattern in which `NAME` stands for the name. */
function rule(kind: DefinitionKind, pattern: string, only?: DefinitionRule['only']): DefinitionRule {
  const compiled = new RegExp(`^(?:${pattern.replace('NAME', NAME)})`, 'u');
  return only === undefined ? { kind, pattern: compiled } : { kind, pattern: compiled, only };
}

/** A modifier is only one in front of something: `get() {` is a method of that name. */
function modifiers(words: string): RegExp {
  return new RegExp(String.raw`(?:${words.trim().split(/\s+/).join('|')}|@[\w.]+(?:\([^()]*\))?)\s+(?![(=:{?])`, 'uy');
}

/** `= async (x) =>`, `= function`: the value is a function; a parenthesis counts only with an arrow or left open. */
const FUNCTION_VALUE = String.raw`(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|(?:<[^()]*>)?\((?:.*=>|[^)]*$))`;

const script: LanguageRules = {
  comment: 'slash',
  modifier: modifiers(
    'export default declare abstract public private protected static async readonly override accessor get set',
  ),
  rules: [
    rule('type', String.raw`(?:const\s+enum|class|interface|enum|namespace|module)\s+NAME`),
    rule('type', String.raw`type\s+NAME\s*(?:[=<]|$)`),
    rule('function', String.raw`function\b\s*\*?\s*NAME`),
    rule('function', String.raw`(?:const|let|var)\s+NAME\s*(?::[^=]*(?:=>[^=]*)*)?=\s*${FUNCTION_VALUE}`),
    rule('type', String.raw`(?:const|let|var)\s+NAME\s*=\s*class\b`, 'outer'),
    rule('variable', String.raw`(?:const|let|var)\s+NAME(?!.*\brequire\s*\()`, 'outer'),
    rule('function', String.raw`(?:[\w$]+\.)*#?NAME\s*\??[:=]\s*${FUNCTION_VALUE}`),
    rule('variable', String.raw`#?NAME\s*[?!]?\s*(?:[:=;]|$)`, 'member'),
  ],
  callable: { shape: 'script', after: /^\s*(?::[^;]*)?\{/u },
};

const typescript: LanguageRules = {
  ...script,
  callable: { shape: 'script', after: /^\s*(?:(?::[^;]*)?\{|:[^?;{]+;)/u },
};

const python: LanguageRules = {
  comment: 'python',
  modifier: /async\s+/uy,
  rules: [
    rule('function', String.raw`(?:def|cdef|cpdef)\s+NAME\s*[([]`),
    rule('type', String.raw`class\s+NAME`),
    rule('type', String.raw`type\s+NAME\s*[=[]`),
    rule('variable', String.raw`NAME\s*(?::[^=]+)?=(?!=)`, 'top'),
  ],
};

const go: LanguageRules = {
  comment: 'slash',
  groups: true,
  rules: [
    rule('function', String.raw`func\s+(?:\([^)]*\)\s*)?NAME`),
    rule('type', String.raw`type\s+NAME`),
    rule('variable', String.raw`(?:var|const)\s+NAME`, 'top'),
  ],
};

const rust: LanguageRules = {
  comment: 'slash',
  modifier:
    /(?:pub(?:\([^)]*\))?|default|unsafe|async|extern(?:\s+"[^"]*")?|const(?=\s+(?:fn|unsafe|async|extern)\b))\s+/uy,
  rules: [
    rule('function', String.raw`fn\s+(?:r#)?NAME`),
    rule('type', String.raw`(?:struct|enum|trait|union|type)\s+NAME`),
    rule('type', String.raw`mod\s+NAME\s*\{`),
    rule('variable', String.raw`(?:const|static)\s+(?:mut\s+)?NAME\s*:`),
    rule('macro', String.raw`macro_rules!\s*NAME`),
  ],
};

const TYPED_FIELD = String.raw`[\p{L}_][\w.]*(?:<[^()=;]*>)?(?:\[\])*\??\s+NAME\s*(?:[={;]|$)`;

const java: LanguageRules = {
  comment: 'slash',
  modifier: modifiers(
    'public private protected static final abstract synchronized native strictfp default transient volatile sealed non-sealed',
  ),
  rules: [rule('type', String.raw`(?:class|interface|enum|@interface|record(?=\s+\w+\s*[<(]))\s+NAME`)],
  callable: { shape: 'typed', after: /^\s*(?:throws\b[^{;]*)?[{;]/u },
};
const javaFields = rule('variable', TYPED_FIELD, 'outer');

const csharp: LanguageRules = {
  comment: 'slash',
  modifier: modifiers(
    'public private protected internal static sealed abstract partial readonly async override virtual extern unsafe new const required file ref event',
  ),
  rules: [
    rule('type', String.raw`(?:class|interface|enum|struct|namespace|record(?:\s+(?:class|struct))?)\s+(?:\w+\.)*NAME`),
  ],
  callable: { shape: 'typed', after: /^\s*(?:where\b[^{;]*|:\s*(?:base|this)\b[^{;]*)?(?:[{;]|=>)/u },
};

const dart: LanguageRules = {
  comment: 'slash',
  modifier: modifiers('abstract static final const late external factory covariant base sealed'),
  rules: [rule('type', String.raw`(?:class|mixin|enum|extension|typedef)\s+NAME`)],
  callable: { shape: 'typed', after: /^\s*(?:async\*?|sync\*)?\s*(?:[{;]|=>)/u },
};

const kotlin: LanguageRules = {
  comment: 'slash',
  modifier: modifiers(
    'public private protected internal open abstract final sealed data inner enum annotation value inline override suspend operator infix tailrec external const lateinit expect actual companion fun(?=\\s+interface)',
  ),
  rules: [
    rule('type', String.raw`(?:class|interface|object|typealias)\s+NAME`),
    rule('function', String.raw`fun\s+(?:<[^(]*>\s*)?(?:[^(]*\.)?NAME\s*\(`),
    rule('variable', String.raw`va[lr]\s+(?:[\w.<>?]+\.)?NAME`, 'outer'),
  ],
};

const scala: LanguageRules = {
  comment: 'slash',
  modifier: modifiers(
    'private(?:\\[\\w+\\])? protected(?:\\[\\w+\\])? final sealed abstract case implicit lazy override inline opaque',
  ),
  rules: [
    rule('type', String.raw`(?:class|trait|object|enum|type)\s+NAME`),
    rule('function', String.raw`def\s+NAME`),
    rule('variable', String.raw`va[lr]\s+NAME`, 'outer'),
  ],
};

const swift: LanguageRules = {
  comment: 'slash',
  modifier: modifiers(
    'public private fileprivate internal open package static final override mutating nonmutating lazy weak indirect convenience required nonisolated class(?=\\s+(?:func|var)\\b)',
  ),
  rules: [
    rule('type', String.raw`(?:class|struct|enum|protocol|actor|typealias)\s+NAME`),
    rule('function', String.raw`func\s+NAME`),
    rule('variable', String.raw`(?:let|var)\s+NAME`, 'outer'),
  ],
};

const php: LanguageRules = {
  comment: 'php',
  modifier: modifiers('abstract final public protected private static readonly var'),
  rules: [
    rule('type', String.raw`(?:class|interface|trait|enum)\s+NAME`),
    rule('function', String.raw`function\s+&?\s*NAME`),
    rule('variable', String.raw`const\s+(?:[\w\\|?]+\s+)?NAME\s*=`),
    rule('variable', String.raw`define\(\s*['"]NAME['"]`),
  ],
};

const ruby: LanguageRules = {
  comment: 'ruby',
  modifier: /(?:private|protected|public|module_function|private_class_method|memoize)\s+/uy,
  rules: [
    rule('function', String.raw`def\s+(?:\w+\.)?NAME`),
    rule('type', String.raw`(?:class|module)\s+(?:\w+::)*NAME`),
    rule('variable', String.raw`(?=\p{Lu})NAME\s*=(?![=~>])`),
    rule('function', String.raw`define_(?:singleton_)?method\(?\s*[:'"]NAME`),
  ],
};

const c: LanguageRules = {
  comment: 'slash',
  modifier:
    /(?:template\s*<[^>]*>\s*|(?:static|inline|extern\s+"C"|constexpr|virtual|explicit|friend|public:|private:|protected:)\s+)/uy,
  rules: [
    rule('macro', String.raw`#\s*define\s+NAME`),
    rule(
      'type',
      String.raw`(?:typedef\s+)?(?:struct|union|enum(?:\s+(?:class|struct))?|class)\s+(?:[A-Z][A-Z0-9_]*\s+)?NAME\s*(?:final\s*)?(?::[^;=(]*)?(?:\{|$)`,
    ),
    rule('type', String.raw`typedef\b[^;(]*\(\s*\*\s*NAME\s*\)`),
    rule('type', String.raw`typedef\b[^;(]*[\s*]NAME\s*(?:\[[^\]]*\]\s*)?;`),
    rule('type', String.raw`\}\s*NAME\s*;`, 'top'),
    rule('type', String.raw`using\s+NAME\s*=`),
    rule('type', String.raw`namespace\s+(?:\w+::)*NAME\s*\{?`),
    rule('type', String.raw`@(?:interface|implementation|protocol)\s+NAME`),
    rule('function', String.raw`[-+]\s*\([^)]*\)\s*NAME`),
    rule('variable', String.raw`(?!extern\b)[A-Za-z_][\w\s*&:<>,]*[\s*&]NAME\s*(?:\[[^\]]*\]\s*)*=`, 'top'),
  ],
  callable: { shape: 'c', after: /^[^;={}]*\{/u },
};

const lua: LanguageRules = {
  comment: 'dash',
  modifier: /local\s+/uy,
  rules: [
    rule('function', String.raw`function\s+(?:\w+[.:])*NAME`),
    rule('function', String.raw`(?:\w+\.)*NAME\s*=\s*function\b`),
    rule('variable', String.raw`NAME\s*=(?!=)`, 'top'),
  ],
};

const shell: LanguageRules = {
  comment: 'hash',
  rules: [rule('function', String.raw`function\s+NAME`), rule('function', String.raw`NAME\s*\(\s*\)`)],
};

const perl: LanguageRules = {
  comment: 'hash',
  rules: [rule('function', String.raw`sub\s+NAME`), rule('type', String.raw`package\s+(?:\w+::)*NAME`)],
};

const elixir: LanguageRules = {
  comment: 'hash',
  rules: [
    rule('function', String.raw`def(?:p|guardp?|delegate|n|np)?\s+NAME`),
    rule('macro', String.raw`defmacrop?\s+NAME`),
    rule('type', String.raw`def(?:module|protocol)\s+(?:\w+\.)*NAME`),
  ],
};

const haskell: LanguageRules = {
  comment: 'dash',
  rules: [
    rule('type', String.raw`(?:data|newtype|type|class)\s+(?:.*=>\s*)?NAME`, 'top'),
    rule('function', String.raw`NAME\s*::`, 'top'),
  ],
};

const lisp: LanguageRules = {
  comment: 'semicolon',
  rules: [
    rule('type', String.raw`\(def(?:record|type|protocol|struct|class)\s+\(?NAME`),
    rule('macro', String.raw`\(defmacro\s+NAME`),
    rule('function', String.raw`\((?:defn-?|defun|defmulti|defmethod|define)\s+\(?NAME`),
    rule('variable', String.raw`\((?:def|defvar|defparameter|defconst)\s+NAME`),
  ],
};

const julia: LanguageRules = {
  comment: 'hash',
  rules: [
    rule('function', String.raw`function\s+(?:\w+\.)*NAME`),
    rule('type', String.raw`(?:mutable\s+struct|struct|abstract\s+type|module)\s+NAME`),
    rule('macro', String.raw`macro\s+NAME`),
    rule('variable', String.raw`const\s+NAME`),
  ],
};

const r: LanguageRules = { comment: 'hash', rules: [rule('function', String.raw`NAME\s*(?:<-|=)\s*function\b`)] };

const zig: LanguageRules = {
  comment: 'slash',
  modifier: /(?:pub|export|inline|extern)\s+/uy,
  rules: [
    rule('function', String.raw`fn\s+NAME`),
    rule('type', String.raw`const\s+NAME\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union|error)\b`),
    rule('variable', String.raw`(?:const|var)\s+NAME`, 'outer'),
  ],
};

const ocaml: LanguageRules = {
  comment: 'percent',
  rules: [
    rule('type', String.raw`(?:type|module(?:\s+type)?|class|exception)\s+(?:'\w+\s+)?NAME`),
    rule('function', String.raw`(?:let|and)\s+(?:rec\s+|inline\s+)?NAME`, 'top'),
    rule('function', String.raw`(?:member|method|val)\s+(?:\w+\.)?NAME`),
  ],
};

const schema: LanguageRules = {
  comment: 'hash',
  rules: [
    rule(
      'type',
      String.raw`(?:message|service|enum|type|input|interface|union|scalar|model|contract|library|struct)\s+NAME`,
    ),
    rule('function', String.raw`(?:rpc|function|event|modifier)\s+NAME`),
  ],
};

const sql: LanguageRules = {
  comment: 'dash',
  rules: [
    rule(
      'type',
      String.raw`[Cc](?:REATE|reate)\s+(?:\w+\s+)*?(?:TABLE|VIEW|TYPE|table|view|type)\s+(?:IF NOT EXISTS\s+|if not exists\s+)?[\x60"\[]?(?:\w+\.)?NAME`,
    ),
    rule(
      'function',
      String.raw`[Cc](?:REATE|reate)\s+(?:\w+\s+)*?(?:FUNCTION|PROCEDURE|TRIGGER|function|procedure|trigger)\s+(?:\w+\.)?NAME`,
    ),
  ],
};

/** The rules of a language by the extensions of its files. */
const TABLE: readonly (readonly [string, LanguageRules])[] = [
  ['js jsx mjs cjs vue svelte astro', script],
  ['ts tsx mts cts', typescript],
  ['py pyi pyx', python],
  ['go', go],
  ['rs', rust],
  ['java groovy gradle', { ...java, rules: [...java.rules, javaFields] }],
  ['cs', { ...csharp, rules: [...csharp.rules, javaFields] }],
  ['dart', dart],
  ['kt kts', kotlin],
  ['scala sc', scala],
  ['swift', swift],
  ['php phtml', php],
  ['rb rake gemspec', ruby],
  ['c h cc cpp cxx hpp hh hxx inl m mm cu cuh ino', c],
  ['lua', lua],
  ['sh bash zsh fish ps1', shell],
  ['pl pm', perl],
  ['ex exs', elixir],
  ['hs elm purs', haskell],
  ['clj cljs cljc el lisp scm rkt', lisp],
  ['jl', julia],
  ['r', r],
  ['zig', zig],
  ['ml mli fs fsi fsx', ocaml],
  ['proto graphql gql prisma sol', schema],
  ['sql', sql],
];

export const RULES_BY_EXTENSION: ReadonlyMap<string, LanguageRules> = new Map(
  TABLE.flatMap(([extensions, rules]) => extensions.split(' ').map(extension => [extension, rules] as const)),
);
