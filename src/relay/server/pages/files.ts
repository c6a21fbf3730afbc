import type { ReferenceAssets } from '../openapi/reference/page.ts'
import { policyOf } from './policy.ts'

/** A file that the pages load, as it is and compressed. */
export type WebAsset = { type: string; bytes: Buffer; gzip: Buffer; brotli: Buffer }

/** The web pages as they were built, in memory: a path that names no file of theirs reaches no disk. */
export type WebFiles = {
  /** The page of `/`. */
  trade: Buffer
  /** The page of `/desk`. */
  operate: Buffer
  /** By name, which changes with the content. */
  assets: ReadonlyMap<string, WebAsset>
  /** What the reference page loads, as paths; empty where it loads nothing. */
  reference: ReferenceAssets
}

/** The web pages of a relay; `relayerUrl` is the one address elsewhere that its pages call, null for none. */
export type WebPages = { files: WebFiles; relayerUrl: string | null }

/** Where the assets are; the build has the same in its pages. */
export const ASSETS_PATH = '/web/assets/'

/**
 * What the pages may do: run and load what comes from the relay itself, and call it and the relayer. Nothing inline, nothing
 * from elsewhere, in no frame, so that a stranger's text that became markup would still do nothing.
 */
export const pagePolicy = ({ relayerUrl }: Pick<WebPages, 'relayerUrl'>): string =>
  policyOf(
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${relayerUrl === null ? '' : ` ${new URL(relayerUrl).origin}`}`,
  )
