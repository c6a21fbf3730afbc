import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

/** Whether this machine has curl. */
export const hasCurl = (): boolean => spawnSync('curl', ['--version']).status === 0

/** What curl printed, as JSON. */
async function curlJson(args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)('curl', ['--silent', '--show-error', '--max-time', '20', ...args])
  return JSON.parse(stdout)
}

const post = (url: string, body: unknown) =>
  curlJson(['--header', 'Content-Type: application/json', '--data', JSON.stringify(body), url])

/** A taker with curl alone: it opens a request, watches its stream until a quote is there, and commits. */
export async function runCurlTaker({
  url,
  wallet,
  request,
}: {
  url: string
  wallet: string
  request: unknown
}): Promise<{ created: Record<string, unknown>; polled: Record<string, unknown>; committed: Record<string, unknown> }> {
  const created = await post(`${url}/quote-requests`, request)
  const path = `${url}/quote-requests/${created.requestId}`
  await firstPrice(`${path}/stream`)
  const polled = await curlJson([`${path}/quotes`])
  const committed = await post(`${path}/commit`, { wallet })
  return { created, polled, committed }
}

/** Reads a stream as `curl -N` shows it until a best quote with a price passes by. */
function firstPrice(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile('curl', ['--silent', '--no-buffer', '--max-time', '20', url], () =>
      reject(new Error('the stream ended without a price')),
    )
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (!/"price":/.test(text)) return
      child.kill()
      resolve()
    })
  })
}
