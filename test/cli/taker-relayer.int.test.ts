import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { createDevClient } from '../../src/onchain/devnet/client.ts'
import type { Sandbox } from '../../src/relay/app/sandbox-file.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const RECIPIENT = '0x0101010101010101010101010101010101010101'
const taker = createDevAccounts().takers[0]?.address ?? '0x'

/** A relay on its own chain with a relayer beside it, which charges five cents. */
async function open() {
  const cwd = temporaryDir()
  await serveFrom(cwd, {
    hasChain: true,
    environment: { MAKER_OFFLINE_GRACE_MS: '20000', MAKER_CONFIRMATION_MS: '30000' },
  })
  const end = new AbortController()
  const relayer = { url: '', ended: Promise.resolve<unknown>(null) }
  const line = `relayer run --account taker-2 --port 0 --fee 0.05 --fee-recipient ${RECIPIENT} --json`
  await new Promise<void>((resolve) => {
    const onStdout = (text: string) => {
      relayer.url = JSON.parse(text).url
      resolve()
    }
    relayer.ended = run(line.split(' '), { cwd, stop: end.signal, onStdout })
  })
  const stop = () => {
    end.abort({ kind: 'signal', signal: 'SIGTERM' })
    return relayer.ended
  }
  const rfqctl = (text: string, environment: Record<string, string> = {}) => run(text.split(' '), { cwd, environment })
  const sandbox: Sandbox = JSON.parse(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8'))
  return { rfqctl, url: relayer.url, stop, dev: createDevClient(sandbox.rpcUrl ?? '') }
}

test('a wallet without coin buys by a relayer: the fee is shown before, and the transaction after', async () => {
  const { rfqctl, url, stop, dev } = await open()
  await dev.setBalance({ address: taker, value: 0n })
  await rfqctl('taker request @1 --budget 100')
  await rfqctl('maker quote --price 0.2 --size 1000')
  const confirming = rfqctl('maker confirm --wait 20s')
  const { code, stdout, stderr } = await rfqctl(`taker commit --relayer ${url} --json`)
  expect((await confirming).code).toBe(0)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const documents = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(documents.at(-1)).toMatchObject({
    type: 'fill',
    optionAmount: 500,
    premium: 100,
    payment: 'permit',
    fee: 0.05,
    relayer: url,
    fillHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect(await dev.getTransactionCount({ address: taker })).toBe(0)
  await stop()
})

const PARTNER = '0x0202020202020202020202020202020202020202'

/** Asks for quotes, has one maker sign, and fills; returns the last two documents: the sums, and the fill. */
async function filled(rfqctl: Awaited<ReturnType<typeof open>>['rfqctl'], ask: string, commit: string) {
  await rfqctl(`taker request @1 ${ask}`)
  await rfqctl('maker quote --price 0.2 --size 1000')
  const confirming = rfqctl('maker confirm --wait 20s')
  const { code, stdout, stderr } = await rfqctl(`taker commit ${commit} --partner-fee ${PARTNER}:25 --json`)
  expect({ confirmed: (await confirming).code, code, stderr }).toMatchObject({ confirmed: 0, code: 0 })
  return stdout
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => JSON.parse(line))
}

test('a partner is paid by the wallet and by a relayer: premium, fees and total are shown before', async () => {
  const { rfqctl, url, stop } = await open()
  const bought = { premium: 100, partner: PARTNER, partnerFee: 0.25, total: 100.25 }
  expect(await filled(rfqctl, '--budget 100', '--fill')).toMatchObject([
    { type: 'fees', ...bought },
    { type: 'fill', ...bought },
  ])
  expect(await filled(rfqctl, '--size 500', '--fill --permit')).toMatchObject([
    { type: 'fees', total: 99.75 },
    { type: 'fill', premium: 100, partnerFee: 0.25, total: 99.75 },
  ])
  const relayed = { fee: 0.05, partnerFee: 0.25, total: 100.3 }
  expect(await filled(rfqctl, '--budget 100', `--relayer ${url}`)).toMatchObject([
    { type: 'fees', ...relayed },
    { type: 'fill', ...relayed },
  ])
  await stop()
})

test('a relayer that asks for more than is allowed learns of no trade, and nothing is committed', async () => {
  const { rfqctl, url, stop } = await open()
  await rfqctl('taker request @1 --budget 100')
  await rfqctl('maker quote --price 0.2 --size 1000')
  const refused = await rfqctl('taker commit --fill --max-fee 0.04', { RFQCTL_RELAYER_URL: url })
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('asks $0.05, above the limit of $0.04') })
  const absent = await rfqctl('taker commit --relayer http://127.0.0.1:1')
  expect(absent).toMatchObject({ code: 7, stderr: expect.stringContaining('The relayer at http://127.0.0.1:1/') })
  expect((await rfqctl('maker history')).stdout).toBe('')
  await stop()
})
