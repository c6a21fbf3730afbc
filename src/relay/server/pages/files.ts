import type { ReferenceAssets } from '../openapi/reference/page.ts'
import { policyOf } from './policy.ts'

export type WebAsset = { type: string; bytes: Buffer; gzip: Buffer; brotli: Buffer }

/** In memory, so that a path that names none of these files never reaches the disk. */
export type WebFiles = {
  /** The shell of every page, which loads what its address names. */
  page: Buffer
  /** Keyed by a name that changes with the content. */
  assets: ReadonlyMap<string, WebAsset>
  reference: ReferenceAssets
}

/** `relayerUrl` is the only address elsewhere that the pages call; null for none. */
export type WebPages = { files: WebFiles; relayerUrl: string | null }

/** The build writes the same path into its pages. */
export const ASSETS_PATH = '/web/assets/'

/**
 * The pages may load and run only what comes from the relay, and call only it and the relayer. Nothing inline, nothing
 * from elsewhere, in no frame, so that a stranger's text that became markup would still do nothing.
 */
export const pagePolicy = ({ relayerUrl }: Pick<WebPages, 'relayerUrl'>): string =>
  policyOf(
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${relayerUrl === null ? '' : ` ${new URL(relayerUrl).origin}`}`,
  )
