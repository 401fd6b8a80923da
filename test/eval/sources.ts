import sources from './repos.json';

/** A public repository, searched as it was at `snapshot`. */
export interface RepositorySource {
  /** `owner/name`. */
  readonly repository: string;
  readonly language: string;
  /** `history`: the commits after the snapshot, up to `head`, are the cases. `questions`: they are written by hand. */
  readonly use: string;
  readonly snapshot: string;
  readonly head: string;
  /** Folders that are searched; none: all. */
  readonly roots: readonly string[];
}

/** A package of a registry, pinned by version and content. */
export interface PackageSource {
  readonly name: string;
  readonly language: string;
  readonly registry: string;
  readonly package: string;
  readonly version: string;
  /** Of the archive. */
  readonly sha256: string;
  readonly roots: readonly string[];
  readonly cases: string;
}

export const REPOSITORIES: readonly RepositorySource[] = sources.repositories;
export const PACKAGES: readonly PackageSource[] = sources.packages;
