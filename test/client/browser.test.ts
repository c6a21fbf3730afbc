import { fileURLToPath } from 'node:url'
import { createContext, Script } from 'node:vm'
import { build } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { json } from '../kit/plays.ts'
import { httpServer } from '../kit/server.ts'

const CLIENT = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url))

/** What a browser has of what the client uses, and nothing of Node. */
const BROWSER = {
  AbortController,
  AbortSignal,
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  ReadableStream,
  DOMException,
  crypto,
  fetch,
  setTimeout,
  clearTimeout,
  queueMicrotask,
}

/** The bundle of the whole client library, as a web page would have it, and the modules that it loads late. */
let code = ''
let late: string[] = []

beforeAll(async () => {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: CLIENT, formats: ['es'] },
      rolldownOptions: { external: [/^node:/, 'ws'], output: { codeSplitting: false } },
    },
  })
  const [result] = [output].flat()
  if (result === undefined || !('output' in result)) throw new Error('nothing was built')
  const chunks = result.output.filter((part) => part.type === 'chunk')
  const entry = chunks.find(({ isEntry }) => isEntry)
  code = entry?.code ?? ''
  late = chunks.flatMap(({ dynamicImports }) => dynamicImports).filter((name) => name !== entry?.fileName)
  expect(chunks.flatMap(({ imports }) => imports)).toEqual([])
})

describe('the client library in a browser', () => {
  test('is one file that loads nothing of Node; the socket of makers comes when it is needed', () => {
    expect(late).toEqual(['ws'])
    expect(code).not.toMatch(/from\s*["']node:/)
  })

  test('talks to a relay with nothing but what a browser has', async () => {
    const { url } = await httpServer(json({ success: true, count: 0, series: [] }))
    const page = createContext({ ...BROWSER })
    const script = code.replace(/^export \{([^}]*)\};?\s*$/m, (_, names: string) => {
      const pairs = names.split(',').map((name) => {
        const [local = '', exported = local] = name.trim().split(' as ')
        return `${exported}: ${local}`
      })
      return `globalThis.rfqctl = { ${pairs.join(', ')} }`
    })
    new Script(script).runInContext(page)
    const client = page.rfqctl.createTakerClient({ url })
    expect(await client.listSeries()).toEqual([])
    const { RelayError } = page.rfqctl
    expect(new RelayError({ code: 'of_a_newer_relay', status: 409 }).code).toBe('of_a_newer_relay')
  })
})
