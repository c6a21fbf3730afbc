import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { WebAsset, WebPages } from '../../../src/relay/server/pages/files.ts'

/** What the script of the pages says. */
export const SCRIPT = 'document.title = "trade"\n'.repeat(40)

function asset(text: string, type: string): WebAsset {
  const bytes = Buffer.from(text)
  return { type, bytes, gzip: gzipSync(bytes), brotli: brotliCompressSync(bytes) }
}

/** Pages as the build leaves them, but small. */
export const webPages = ({ relayerUrl = null }: { relayerUrl?: string | null } = {}): WebPages => ({
  relayerUrl,
  files: {
    page: Buffer.from('<!doctype html><title>rfqctl</title><div id="root"></div>'),
    assets: new Map([['index-1a2b3c4d.js', asset(SCRIPT, 'text/javascript; charset=utf-8')]]),
    reference: { scripts: ['/web/assets/try-1a2b3c4d.js'], styles: ['/web/assets/try-1a2b3c4d.css'] },
  },
})
