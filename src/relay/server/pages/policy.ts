import { createHash } from 'node:crypto'

/** The content security policy of a page that may do what `allowed` names, and nothing else; it is in no frame. */
export const policyOf = (...allowed: readonly string[]): string =>
  ["default-src 'none'", ...allowed, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')

/** What a policy calls the style that stands in its page. */
export const styleSource = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`
