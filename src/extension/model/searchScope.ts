import type { SearchRequest } from '../../engine/types';
import { t } from './l10n';
import type { RootedPath } from './roots';
import { baseOf, parentOf } from './roots';

/** The buttons of the search box. */
export const SCOPE_KEYS = ['folder', 'language', 'openFiles'] as const;
export type ScopeKey = (typeof SCOPE_KEYS)[number];

/** What stood in the editor when the search box was opened. */
export interface ScopeContext {
  /** The active file, if it lies in an open folder. */
  readonly file?: RootedPath;
  /** The files of all tabs that lie in an open folder. */
  readonly openFiles: readonly RootedPath[];
}

/** What the files of a search are narrowed to; every part holds. Nothing: all files. */
export interface SearchScope {
  readonly folder?: RootedPath;
  /** A path that stands for its language. */
  readonly sameLanguageAs?: string;
  readonly openFiles?: readonly RootedPath[];
}

export type Narrowing = Pick<SearchRequest, 'scope' | 'sameLanguageAs' | 'files'>;

/** The scope that these buttons mean in this context. A button without anything to mean does nothing. */
export function scopeOf(pressed: ReadonlySet<ScopeKey>, context: ScopeContext): SearchScope {
  const { file, openFiles } = context;
  return {
    ...(pressed.has('folder') && file !== undefined ? { folder: { root: file.root, path: parentOf(file.path) } } : {}),
    ...(pressed.has('language') && file !== undefined ? { sameLanguageAs: file.path } : {}),
    ...(pressed.has('openFiles') ? { openFiles } : {}),
  };
}

/** What a scope asks of one workspace folder; undefined when nothing in that folder can be in it. */
export function narrowingFor(scope: SearchScope, root: string): Narrowing | undefined {
  const { folder, sameLanguageAs, openFiles } = scope;
  if (folder !== undefined && folder.root !== root) return undefined;
  const files = openFiles?.filter(each => each.root === root).map(({ path }) => path);
  if (files?.length === 0) return undefined;
  return {
    ...(folder === undefined || folder.path === '' ? {} : { scope: folder.path }),
    ...(sameLanguageAs === undefined ? {} : { sameLanguageAs }),
    ...(files === undefined ? {} : { files }),
  };
}

export function isUnlimited(scope: SearchScope): boolean {
  return Object.keys(scope).length === 0;
}

/** The files that a scope leaves, for a title: `src/auth, files like login.ts, open files`. Empty for all files. */
export function scopeText({ folder, sameLanguageAs, openFiles }: SearchScope): string {
  return [
    folder === undefined ? undefined : folder.path === '' ? t('top folder') : folder.path,
    sameLanguageAs === undefined ? undefined : t('language of {0}', baseOf(sameLanguageAs)),
    openFiles === undefined ? undefined : t('open files'),
  ]
    .filter(part => part !== undefined)
    .join(', ');
}
