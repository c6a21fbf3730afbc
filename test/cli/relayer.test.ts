import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevClient } from '../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { run, temporaryDir } from './support.ts'

const KEY = `0x${'7a'.repeat(32)}` as const
const RECIPIENT = '0x0101010101010101010101010101010101010101'

let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
})
afterAll(() => devnet.stop())

/** A directory with the key of a wallet that holds so much coin, wei, and the settings of the chain. */
async function wallet(coin: bigint) {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'relayer.key'), KEY, { mode: 0o600 })
  await createDevClient(devnet.rpcUrl).setBalance({ address: privateKeyToAccount(KEY).address, value: coin })
  const { settlementAddress, coreAddress, stablecoinAddress } = devnet.deployment
  const environment = {
    RPC_URL: devnet.rpcUrl,
    CHAIN_ID: String(devnet.chainId),
    SETTLEMENT_ADDRESS: settlementAddress,
    CORE_ADDRESS: coreAddress,
    STABLECOIN_ADDRESS: stablecoinAddress,
    LOG_LEVEL: 'silent',
  }
  return { cwd, environment }
}

const words = (...more: string[]) => ['relayer', 'run', '--key-file', 'relayer.key', '--port', '0', '--json', ...more]
const GOOD = ['--fee', '0.05', '--fee-recipient', RECIPIENT]

describe('a relayer that is started', () => {
  test('listens, prints its terms, and ends when it is stopped', async () => {
    const { cwd, environment } = await wallet(10n ** 18n)
    const end = new AbortController()
    let answered: Promise<unknown> = Promise.resolve()
    const { code, stdout, stderr } = await run(words(...GOOD, '--max-gas-price', '300'), {
      cwd,
      environment,
      stop: end.signal,
      onStdout: (text) => {
        answered = fetch(`${JSON.parse(text).url}/v1/relayer`)
          .then((response) => response.json())
          .finally(() => end.abort({ kind: 'signal', signal: 'SIGTERM' }))
      },
    })
    expect({ code, says: stderr.includes('warning') }).toEqual({ code: 0, says: false })
    expect(JSON.parse(stdout)).toMatchObject({ type: 'relayer', fee: 0.05, feeRecipient: RECIPIENT, reason: null })
    expect(await answered).toMatchObject({
      wallet: privateKeyToAccount(KEY).address,
      feeRecipient: RECIPIENT,
      fee: '50000',
      accepting: true,
      limits: { maxGasPrice: '300000000000', maxGas: '1000000', maxCoinPerDay: '5000000000000000000' },
    })
    expect(stdout + stderr).not.toContain('7a7a')
  })

  test('warns of a wallet without coin', async () => {
    const { cwd, environment } = await wallet(0n)
    const end = new AbortController()
    const { code, stdout, stderr } = await run(words(...GOOD), {
      cwd,
      environment,
      stop: end.signal,
      onStdout: () => end.abort({ kind: 'signal', signal: 'SIGTERM' }),
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).reason).toBe('Its wallet has too little coin for gas.')
    expect(stderr).toContain('it takes no fills now: Its wallet has too little coin for gas.')
  })
})

describe('a relayer does not start', () => {
  test.each([
    ['without a recipient of its fee', ['--fee', '0.05'], '--fee-recipient'],
    ['without a fee', ['--fee-recipient', RECIPIENT], '--fee'],
    ['with a recipient that is no address', ['--fee', '1', '--fee-recipient', '0x12'], 'is not an address'],
    [
      'with a day that one fill would exceed',
      [...GOOD, '--max-coin-per-day', '0.4'],
      'one fill may cost 0.5 of the coin, and a day 0.4',
    ],
  ])('%s', async (_, flags, says) => {
    const { cwd, environment } = await wallet(10n ** 18n)
    const { code, stderr } = await run(words(...flags), { cwd, environment })
    expect({ code, says: stderr.includes(says) }).toEqual({ code: 2, says: true })
  })

  test('when its fees would be lost in a contract of the market', async () => {
    const { cwd, environment } = await wallet(10n ** 18n)
    const flags = ['--fee', '1', '--fee-recipient', environment.SETTLEMENT_ADDRESS]
    const { code, stderr } = await run(words(...flags), { cwd, environment })
    expect({ code, says: stderr.includes('a fee there would be lost') }).toEqual({ code: 2, says: true })
  })

  test('without a key', async () => {
    const { cwd, environment } = await wallet(10n ** 18n)
    const { code, stderr } = await run(['relayer', 'run', ...GOOD], { cwd, environment })
    expect({ code, says: stderr.includes('no key given') }).toEqual({ code: 2, says: true })
  })

  test('on a chain that is not the configured one', async () => {
    const { cwd, environment } = await wallet(10n ** 18n)
    const { code } = await run(words(...GOOD), { cwd, environment: { ...environment, CHAIN_ID: '137' } })
    expect(code).toBe(8)
  })
})
