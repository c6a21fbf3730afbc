import { createHash } from 'node:crypto'

/** Allows only what `allowed` names, and no frame around the page. */
export const policyOf = (...allowed: readonly string[]): string =>
  ["default-src 'none'", ...allowed, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')

/** CSP source of a style that is inline in its page. */
export const styleSource = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`
