import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

/** A relay without a chain, and a person beside it, who may stop a command when it has said something. */
async function open() {
  const cwd = temporaryDir()
  const relay = await serveFrom(cwd)
  const rfqctl = (line: string) => run(wordsOf(line), { cwd })
  const json = async (line: string) => JSON.parse((await rfqctl(`${line} --json`)).stdout)
  /** Ctrl-C as soon as a line of stdout matches. */
  const interrupted = (line: string, when: RegExp) => {
    const controller = new AbortController()
    const onStdout = (text: string) => {
      if (when.test(text)) controller.abort({ kind: 'signal', signal: 'SIGINT' })
    }
    return run(wordsOf(line), { cwd, stop: controller.signal, onStdout })
  }
  /** Makers that quote until the test ends; resolves once they are connected. */
  const makers = async (strategy = 'tight') => {
    const controller = new AbortController()
    let ended: Promise<unknown> = Promise.resolve()
    const connected = new Promise<void>((resolve, reject) => {
      const simulating = run(['maker', 'simulate', '--json', '--count', '1', '--strategy', strategy], {
        cwd,
        stop: controller.signal,
        onStdout: (text) => (text.includes('"connected"') ? resolve() : undefined),
      })
      simulating.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)), reject)
      ended = simulating
    })
    await connected
    onTestFinished(async () => {
      controller.abort({ kind: 'signal', signal: 'SIGTERM' })
      await ended
    })
  }
  return { cwd, relay, rfqctl, json, interrupted, makers }
}

test('the requests made in a folder are listed with what became of them, and named by their rows', async () => {
  const { cwd, rfqctl, json, makers } = await open()
  expect((await rfqctl('taker requests')).stdout).toBe('no request was made in this folder\n')
  await rfqctl('series list')
  const first = await json('taker request @1 --budget 100')
  const second = await json('taker request @2 --size 5')
  const listed = await rfqctl('taker requests')
  const id = (requestId: string) => requestId.slice(0, 8)
  expect(listed.stdout).toMatch(
    new RegExp(
      `@1 +${id(second.requestId)}… .*sell 5 put .* open, closes in \\S+.*\n@2 +${id(first.requestId)}… .*buy call \\S+ for \\$100\\.00 +open`,
    ),
  )
  expect(listed.stderr).toContain('Next: rfqctl taker commit @N, or rfqctl taker cancel @N')
  const cancelled = await rfqctl('taker cancel @2')
  expect(cancelled.stdout).toBe(`request ${id(first.requestId)}… is cancelled\n`)
  expect(cancelled.stderr).toMatch(new RegExp(`^@2 is request ${id(first.requestId)}…, buy for \\$100.00 call`))
  expect((await rfqctl(`taker quotes ${first.requestId}`)).stdout).toBe('the request is cancelled\n')

  await makers()
  const bought = await rfqctl('taker buy @1 --budget 5 --wait 1ms --json')
  expect(bought.code).toBe(0)
  expect((await rfqctl('taker quotes')).stdout).toBe('the request is committed, and its order can be filled\n')
  const { requests } = await json('taker requests')
  const path = join(cwd, '.rfqctl', 'requests', `${requests[0].requestId}.json`)
  const kept = readFileSync(path, 'utf8')
  // What "taker fill" leaves, long before the relay sees a final block.
  writeFileSync(path, JSON.stringify({ ...JSON.parse(kept), fillHash: `0x${'f1'.repeat(32)}` }))
  expect((await rfqctl('taker quotes')).stdout).toBe('the request is committed, and its order is filled\n')
  expect((await json('taker requests')).requests[0].state).toBe('filled')
  expect(requests).toMatchObject([
    { row: 1, state: 'committed', trade: { side: 'buy', budgetUsd: 5 }, commitment: { contracts: expect.any(Number) } },
    { row: 2, requestId: second.requestId, state: 'open', commitment: null, fillHash: null },
    { row: 3, requestId: first.requestId, state: 'cancelled', account: 'taker-1' },
  ])
  expect(JSON.stringify(requests)).not.toContain('takerSecret')
})

test('without a relay the requests are listed all the same, as far as they are known', async () => {
  const { rfqctl, json, relay } = await open()
  await rfqctl('taker request @1 --budget 100')
  await relay.stop()
  expect((await json('taker requests --url http://127.0.0.1:2')).requests).toMatchObject([{ state: 'unknown' }])
})

test('Ctrl-C in a whole trade cancels its request, and says so', async () => {
  const { interrupted, json, makers } = await open()
  await makers('silent')
  const { code, stderr } = await interrupted('taker buy @1 --budget 5', /^buy for/)
  const [{ requestId, state }] = (await json('taker requests')).requests
  expect({ code, state }).toEqual({ code: 130, state: 'cancelled' })
  expect(stderr).toContain(`request ${requestId.slice(0, 8)} is cancelled\n`)
})

test('Ctrl-C in what follows a request leaves it open, and says how long it stays open and how to cancel it', async () => {
  const { interrupted, json, rfqctl } = await open()
  await rfqctl('taker request @1 --budget 100')
  const watched = await interrupted('taker watch', /^no quote yet/)
  const [{ requestId }] = (await json('taker requests')).requests
  const id = requestId.slice(0, 8)
  expect(watched.code).toBe(130)
  expect(watched.stderr).toMatch(
    new RegExp(`^request ${id} stays open and closes in \\S+.*; to cancel it: rfqctl taker cancel ${id}\n$`),
  )
  const documents = await interrupted('taker watch --json', /"best_quote"/)
  expect(JSON.parse(documents.stderr)).toMatchObject({ type: 'left_open', requestId, state: 'open' })
})

test('a request shows its best quote where it waits for quotes', async () => {
  const { rfqctl, makers } = await open()
  await rfqctl('series list')
  await makers()
  const [asked, shown] = (await rfqctl('taker request @1 --budget 7 --quotes 1 --wait 20s --json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(shown).toMatchObject({ type: 'best_quote', requestId: asked.requestId, quoteCount: 1 })
})
