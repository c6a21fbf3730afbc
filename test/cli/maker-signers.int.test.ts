import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const { makers } = createDevAccounts()
const [cold, hot] = [makers[0]?.address ?? '', makers[1]?.address ?? '']

/** A relay on its own chain, and a person beside it who says yes. */
async function open() {
  const cwd = temporaryDir()
  await serveFrom(cwd, {
    hasChain: true,
    environment: { MAKER_OFFLINE_GRACE_MS: '20000', MAKER_CONFIRMATION_MS: '30000' },
  })
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return 'yes'
  }
  const rfqctl = (line: string) => run(line.split(' '), { cwd, ask })
  const json = async (line: string) =>
    JSON.parse((await rfqctl(`${line} --json`)).stdout.trim().split('\n').at(-1) ?? '')
  return { cwd, rfqctl, json, asked }
}

test('a maker authorises a key, which quotes for it and signs, until the maker revokes it', async () => {
  const { cwd, rfqctl, json, asked } = await open()
  const authorized = await rfqctl(`maker authorize ${hot} --for 30d --account maker-1`)
  expect(asked).toEqual([expect.stringMatching(new RegExp(`^let ${hot} sign orders until .* Type yes: $`))])
  expect(authorized.stderr).toContain('transfer, approve, claim, cancel or fill anything')
  expect(authorized.stdout).toMatch(new RegExp(`^${hot} signs orders for ${cold} until .*: 0x`))
  const until = (await json(`maker status --account maker-2 --maker ${cold}`)).signerUntil
  expect(until - Date.now() / 1_000).toBeGreaterThan(29 * 86_400)

  await json('taker request @1 --budget 100')
  const quote = await json(`maker quote --account maker-2 --maker ${cold} --price 0.2 --size 1000`)
  expect(quote).toMatchObject({ type: 'quote', maker: cold })
  const offer = readFileSync(join(cwd, '.rfqctl', 'offers', `${quote.quoteId}.json`), 'utf8')
  expect(JSON.parse(offer).offer.quote.maker).toBe(cold)

  const asking = rfqctl('maker confirm --account maker-2 --wait 20s')
  const filling = json('taker commit --fill')
  expect(await asking).toMatchObject({ code: 3, stderr: expect.stringContaining(`--maker ${cold}`) })
  const confirmed = await json(`maker confirm --account maker-2 --maker ${cold} --wait 20s`)
  expect(confirmed).toMatchObject({ type: 'confirmed', optionAmount: 500 })
  expect(await filling).toMatchObject({ type: 'fill', signer: hot, optionAmount: 500 })

  expect((await rfqctl(`maker revoke ${hot} --account maker-1`)).stdout).toMatch(
    new RegExp(`^${hot} signs no more orders for ${cold}: 0x`),
  )
  expect(asked).toHaveLength(1)
  expect(await json(`maker status --account maker-2 --maker ${cold}`)).toMatchObject({
    wallet: cold,
    signer: hot,
    signerUntil: null,
  })
  expect(await rfqctl(`maker revoke ${hot} --account maker-1`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`${hot} signs no orders for ${cold}`),
  })
})

test('a multi-signature wallet gets the call that authorises a key, and the wallet itself cannot be that key', async () => {
  const { json, rfqctl } = await open()
  const printed = await json(`maker authorize ${hot} --for 366d --calldata --from ${cold}`)
  expect(printed).toMatchObject({ type: 'calldata', of: 'signer_authorized', wallet: cold, signer: hot })
  expect(printed.safe.transactions).toHaveLength(1)
  expect((await json(`maker status --account maker-2 --maker ${cold}`)).signerUntil).toBeNull()
  expect(await rfqctl(`maker authorize ${cold} --for 1d --account maker-1`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('signs for itself'),
  })
  expect((await rfqctl(`maker authorize ${hot} --for 367d`)).code).toBe(2)
  expect((await rfqctl('maker authorize maker-2 --for 1d')).stderr).toContain('SIGNER is not an address')
})
