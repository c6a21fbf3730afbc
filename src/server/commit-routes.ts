type Routes = readonly (string | undefined)[]

/** What a running commit waits for: its maker's answer. */
export const ENDS_A_COMMIT: Routes = ['/v1/mm/quotes/:quoteId/confirm', '/v1/mm/quotes/:quoteId/decline']

/** All of a commit, from its taker's call on. */
export const MAKES_A_COMMIT: Routes = ['/quote-requests/:id/commit', ...ENDS_A_COMMIT]
