/**
 * Folders that hold no hand-written source, whatever the ignore files say and with or without git: version control's own
 * data, installed packages, caches of tools.
 */
const ALWAYS = new Set(
  (
    '.git .hg .svn .jj .bzr CVS node_modules bower_components jspm_packages __pycache__ __pypackages__ .venv venv .tox .nox ' +
    '.mypy_cache .pytest_cache .ruff_cache .eggs .ipynb_checkpoints .next .nuxt .svelte-kit .turbo .parcel-cache .cache ' +
    '.gradle .terraform .nyc_output .yarn .pnpm-store .angular .dart_tool .bundle DerivedData'
  ).split(' '),
);

/**
 * Folders that build tools write. Their names are ordinary ones too (`src/build`), so they count only outside of git, where
 * no ignore file can be expected, and only beside the file that drives the tool.
 */
const BUILD_OUTPUT: ReadonlyMap<string, readonly string[]> = new Map([
  ['target', ['Cargo.toml', 'pom.xml', 'build.sbt', 'project.clj']],
  ['build', ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts', 'setup.py', 'pubspec.yaml']],
  ['dist', ['package.json', 'setup.py', 'pyproject.toml', 'setup.cfg']],
  ['out', ['package.json']],
  ['coverage', ['package.json']],
]);

/** True for a folder of that name anywhere. */
export function isAlwaysExcluded(folderName: string): boolean {
  return ALWAYS.has(folderName);
}

/** True for a folder that a build tool writes, by the names that stand beside it. */
export function isBuildOutput(folderName: string, siblings: ReadonlySet<string>): boolean {
  return BUILD_OUTPUT.get(folderName)?.some(name => siblings.has(name)) ?? false;
}
