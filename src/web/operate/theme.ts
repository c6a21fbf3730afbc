import { type Theme, UNICODE } from '../dashboard/theme.ts'

export const PAGE: Theme = { glyphs: UNICODE, medium: 'page' }
