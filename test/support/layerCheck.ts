import { posix } from 'node:path';
import { isBuiltin } from 'node:module';
import ts from 'typescript';

/** One layer: files under `files` (a folder ends with a slash) may import what the other fields name. */
export interface Layer {
  readonly name: string;
  readonly files: string | readonly string[];
  readonly mayImport: readonly string[];
  readonly mayImportTypes: readonly string[];
  readonly packages: readonly string[];
  readonly nodeBuiltins: boolean;
}

export interface LayerTable {
  readonly layers: readonly Layer[];
  /** Packages that exactly one file may import, types included. */
  readonly owners: Readonly<Record<string, string>>;
}

export interface SourceFile {
  /** Relative to the repository root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface ImportedModule {
  /** Undefined when the name is computed. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
}

/** Every breach of the table, one sentence each, in the order of the files. */
export function layerBreaches(files: readonly SourceFile[], table: LayerTable): string[] {
  return files.flatMap(file => {
    const layer = layerOf(file.path, table);
    if (layer === undefined) return [`${file.path} belongs to no layer.`];
    return importsOf(file).flatMap(imported => {
      const reason = breachOf(file.path, layer, imported, table);
      return reason === undefined ? [] : [`${file.path}: ${reason}`];
    });
  });
}

function breachOf(path: string, layer: Layer, imported: ImportedModule, table: LayerTable): string | undefined {
  const { specifier, typeOnly } = imported;
  if (specifier === undefined) return 'an import with a computed name cannot be checked.';
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    const targetLayer = layerOf(posix.extname(target) === '' ? `${target}.ts` : target, table);
    if (targetLayer === undefined) return `${specifier} belongs to no layer.`;
    if (layer.mayImport.includes(targetLayer.name)) return undefined;
    if (!layer.mayImportTypes.includes(targetLayer.name)) {
      return `${layer.name} may not import ${targetLayer.name} (${specifier}).`;
    }
    return typeOnly ? undefined : `${layer.name} may import only types of ${targetLayer.name} (${specifier}).`;
  }
  if (isBuiltin(specifier)) {
    if (!layer.nodeBuiltins) return `${layer.name} may not use built-in modules (${specifier}).`;
    return specifier.startsWith('node:') ? undefined : `${specifier} should be written node:${specifier}.`;
  }
  const name = packageName(specifier);
  if (!layer.packages.includes(name)) return `${layer.name} may not use the package ${name}.`;
  const owner = table.owners[name];
  return owner === undefined || owner === path ? undefined : `only ${owner} may use the package ${name}.`;
}

/** The first layer that holds the path: more special ones stand first in the table. */
function layerOf(path: string, { layers }: LayerTable): Layer | undefined {
  return layers.find(({ files }) =>
    (typeof files === 'string' ? [files] : files).some(entry =>
      entry.endsWith('/') ? path.startsWith(entry) : path === entry,
    ),
  );
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** All modules that a file names: imports, re-exports, `import()`, `require()`, `import x = require()`, type imports. */
function importsOf({ path, text }: SourceFile): ImportedModule[] {
  const found: ImportedModule[] = [];
  const add = (name: ts.Node | undefined, typeOnly: boolean): void => {
    found.push({ specifier: name && ts.isStringLiteralLike(name) ? name.text : undefined, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      // `import { type A }` still loads the module at run time under verbatimModuleSyntax.
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node.moduleReference.expression, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isCallExpression(node) && loadsModule(node.expression)) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** `import(…)`, `require(…)`, `require.resolve(…)`. */
function loadsModule(callee: ts.Expression): boolean {
  const target = ts.isPropertyAccessExpression(callee) && callee.name.text === 'resolve' ? callee.expression : callee;
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(target) && target.text === 'require');
}
