/** Names that the manifest and the code share; see package.json. */
export const EXTENSION_NAME = 'Landmark';

export const COMMANDS = {
  search: 'landmark.search',
  findSimilar: 'landmark.findSimilar',
  rebuildIndex: 'landmark.rebuildIndex',
  clearIndex: 'landmark.clearIndex',
  pauseIndexing: 'landmark.pauseIndexing',
  resumeIndexing: 'landmark.resumeIndexing',
  showStatus: 'landmark.showStatus',
  openToSide: 'landmark.openToSide',
} as const;

export const CONTEXT_KEYS = {
  /** A quick pick with results is open: Ctrl+Enter opens its active item to the side. */
  quickPickVisible: 'landmark.quickPickVisible',
  paused: 'landmark.paused',
} as const;

export const STATUS_ITEM_ID = 'status';

export const CONFIGURATION_SECTION = 'landmark';
