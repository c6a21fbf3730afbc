import { type Theme, UNICODE } from '../dashboard/theme.ts'

/** How the dashboard is shown on a page. */
export const PAGE: Theme = { glyphs: UNICODE, medium: 'page' }
