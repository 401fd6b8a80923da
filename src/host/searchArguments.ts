/** Argument of a search process that must not load the query model: the ones before it may have died of trying. */
export const WITHOUT_QUERY_MODEL = '--without-query-model';
