/**
 * Builds the pages of every sample state (test/browser/gallery) and serves them on the loopback, the API reference among them,
 * under the policy that relays have.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"

/**
 * Starts the gallery. It needs a build of the project.
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function openGallery() {
  // As pages are built for people; a test that opens this has another environment.
  process.env.NODE_ENV = 'production'
  const folder = mkdtempSync(join(tmpdir(), 'rfqctl-gallery-'))
  await build({
    configFile: false,
    envFile: false,
    root: join(ROOT, 'test', 'browser', 'gallery'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 },
  })
  const reference = await referencePage()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://gallery')
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ body, policy = POLICY) =>
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body)
    if (pathname === '/reference') return send(TYPES['.html'], reference.page, reference.policy)
    if (pathname === '/openapi.json') return send('application/json', reference.openapi)
    if (pathname === '/time') return send('application/json', reference.time)
    try {
      const base = pathname.startsWith('/web/') ? join(ROOT, 'dist') : folder
      const path = join(base, normalize(pathname === '/' ? '/index.html' : pathname))
      return send(
        TYPES[/** @type {keyof typeof TYPES} */ (extname(path))] ?? 'application/octet-stream',
        readFileSync(path),
      )
    } catch {
      return response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The reference as a relay with pages serves it; its version is left out, so that a picture lives longer than a release. */
async function referencePage() {
  const dist = (/** @type {string} */ path) => import(new URL(`../dist/modules/${path}`, import.meta.url).href)
  const { describeApi } = await dist('relay/server/openapi/describe.js')
  const { createReference, referencePolicy } = await dist('relay/server/openapi/reference/page.js')
  const { readWebFiles } = await dist('relay/app/web-files.js')
  const documents = await describeApi()
  const assets = readWebFiles().reference
  return {
    page: createReference({ ...documents, software: '', assets }),
    policy: referencePolicy(assets),
    openapi: JSON.stringify(documents.openapi),
    time: JSON.stringify({ success: true, serverTime: '2026-06-01T12:00:00.000Z', unixMs: Date.UTC(2026, 5, 1, 12) }),
  }
}
