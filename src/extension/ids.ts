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
  explainFile: 'landmark.explainFile',
  copyDiagnostics: 'landmark.copyDiagnostics',
  showFailures: 'landmark.showFailures',
  showLog: 'landmark.showLog',
  evaluatePast: 'landmark.evaluatePast',
  openToSide: 'landmark.openToSide',
  compareSimilar: 'landmark.compareSimilar',
  clearHistory: 'landmark.clearHistory',
  openResults: 'landmark.openResults',
  refreshResults: 'landmark.refreshResults',
  clearResults: 'landmark.clearResults',
  nextResult: 'landmark.nextResult',
  previousResult: 'landmark.previousResult',
  openResult: 'landmark.openResult',
  openResultToSide: 'landmark.openResultToSide',
  compareResult: 'landmark.compareResult',
  dismissResult: 'landmark.dismissResult',
  copyResultPath: 'landmark.copyResultPath',
} as const;

/** The tool that language models call. */
export const SEARCH_TOOL = 'landmark_search';

export const CONTEXT_KEYS = {
  /** A quick pick with results is open: Ctrl+Enter opens its active item to the side. */
  quickPickVisible: 'landmark.quickPickVisible',
  /** The user paused indexing, or it waits for an answer, for the battery or for a calmer machine. */
  paused: 'landmark.paused',
  /** Something can be searched: the walkthrough's first step is done. */
  searchable: 'landmark.searchable',
  /** The results view holds results. */
  hasResults: 'landmark.hasResults',
} as const;

export const RESULTS_VIEW_ID = 'landmark.results';

export const STATUS_ITEM_ID = 'status';

export const CONFIGURATION_SECTION = 'landmark';
