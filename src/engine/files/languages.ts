import { baseOf } from './filePaths';

const EXTENSIONS: Readonly<Record<string, string>> = {
  assembly: 'asm s nasm',
  astro: 'astro',
  awk: 'awk',
  batch: 'bat cmd',
  c: 'c h',
  clojure: 'clj cljs cljc edn',
  cmake: 'cmake',
  cobol: 'cob cbl cpy',
  coffeescript: 'coffee',
  commonlisp: 'lisp lsp cl asd',
  cpp: 'cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh ino',
  crystal: 'cr',
  csharp: 'cs csx',
  css: 'css',
  cython: 'pyx pxd pxi',
  d: 'd di',
  dart: 'dart',
  elixir: 'ex exs heex eex',
  elm: 'elm',
  emacslisp: 'el',
  erlang: 'erl hrl',
  fish: 'fish',
  fortran: 'f f77 f90 f95 f03 f08 for',
  fsharp: 'fs fsx fsi',
  glsl: 'glsl vert frag geom comp tesc tese',
  go: 'go',
  graphql: 'graphql gql graphqls',
  groovy: 'groovy gvy gradle',
  handlebars: 'hbs handlebars mustache',
  haskell: 'hs lhs',
  hcl: 'tf tfvars hcl',
  hlsl: 'hlsl fx',
  html: 'html htm xhtml',
  ini: 'ini cfg conf properties editorconfig',
  java: 'java',
  javascript: 'js jsx mjs cjs',
  jinja: 'j2 jinja jinja2',
  json: 'json jsonc json5 geojson webmanifest',
  julia: 'jl',
  kotlin: 'kt kts',
  latex: 'tex sty bib',
  less: 'less',
  lua: 'lua',
  markdown: 'md mdx markdown mdown',
  metal: 'metal',
  nim: 'nim nims',
  nix: 'nix',
  objectivec: 'm mm',
  ocaml: 'ml mli mll mly',
  pascal: 'pas pp dpr',
  perl: 'pl pm t',
  php: 'php phtml php5',
  plaintext: 'txt text',
  powershell: 'ps1 psm1 psd1',
  prisma: 'prisma',
  prolog: 'prolog',
  protobuf: 'proto',
  pug: 'pug jade',
  python: 'py pyi pyw',
  r: 'r rmd',
  razor: 'cshtml razor',
  restructuredtext: 'rst',
  ruby: 'rb rake gemspec ru erb',
  rust: 'rs',
  sass: 'sass',
  scala: 'scala sc sbt',
  scheme: 'scm ss rkt',
  scss: 'scss',
  shell: 'sh bash zsh ksh bats',
  smalltalk: 'st',
  solidity: 'sol',
  sql: 'sql psql',
  starlark: 'bzl star bazel',
  stylus: 'styl',
  svelte: 'svelte',
  swift: 'swift',
  systemverilog: 'sv svh',
  tcl: 'tcl',
  thrift: 'thrift',
  toml: 'toml',
  twig: 'twig',
  typescript: 'ts tsx mts cts',
  vala: 'vala vapi',
  verilog: 'v vh',
  vhdl: 'vhd vhdl',
  vim: 'vim',
  visualbasic: 'vb vbs bas',
  vue: 'vue',
  wgsl: 'wgsl',
  xml: 'xml xsd xsl xslt xaml csproj vbproj fsproj props targets plist resx pom storyboard xib',
  yaml: 'yaml yml',
  zig: 'zig zon',
  asciidoc: 'adoc asciidoc',
  notebook: 'ipynb',
};

const FILE_NAMES: Readonly<Record<string, string>> = {
  'cmakelists.txt': 'cmake',
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  makefile: 'makefile',
  gnumakefile: 'makefile',
  justfile: 'makefile',
  jenkinsfile: 'groovy',
  rakefile: 'ruby',
  gemfile: 'ruby',
  podfile: 'ruby',
  vagrantfile: 'ruby',
  fastfile: 'ruby',
  brewfile: 'ruby',
  '.bashrc': 'shell',
  '.zshrc': 'shell',
  '.profile': 'shell',
  '.babelrc': 'json',
  '.eslintrc': 'json',
  '.prettierrc': 'json',
  '.gitattributes': 'ini',
  '.gitconfig': 'ini',
  '.gitmodules': 'ini',
  '.editorconfig': 'ini',
};

const LANGUAGE_BY_EXTENSION = new Map<string, string>(
  Object.entries(EXTENSIONS).flatMap(([language, list]) => list.split(' ').map(extension => [extension, language])),
);
const LANGUAGE_BY_NAME = new Map<string, string>(Object.entries(FILE_NAMES));

/** What follows the last dot of the file name, lower case; empty without one, and for names like `.bashrc`. */
export function extensionOf(path: string): string {
  const name = baseOf(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** The language of a file by its name alone (`typescript`, `python`, `go`, …), undefined where the name does not tell. */
export function languageOf(path: string): string | undefined {
  const spelled = baseOf(path);
  // Bazel's names count in capitals only: a script called `build` is common.
  if (spelled === 'BUILD' || spelled === 'WORKSPACE') return 'starlark';
  const name = spelled.toLowerCase();
  const byName = LANGUAGE_BY_NAME.get(name);
  if (byName) return byName;
  // `Dockerfile.dev` and `Makefile.am` are named the other way round.
  if (/^(docker|container)file\./.test(name)) return 'dockerfile';
  if (/^(gnu)?makefile\./.test(name) || /\.(mk|mak|make)$/.test(name)) return 'makefile';
  return LANGUAGE_BY_EXTENSION.get(extensionOf(name));
}
