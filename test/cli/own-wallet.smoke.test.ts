import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

test('a wallet without coin gets the advice before anything is opened, and trades once the faucet has served it', async () => {
  const cwd = temporaryDir()
  const environment = { MAKER_OFFLINE_GRACE_MS: '20000', MAKER_CONFIRMATION_MS: '30000' }
  await serveFrom(cwd, { hasChain: true, environment })
  const key = generatePrivateKey()
  writeFileSync(join(cwd, 'own.key'), key, { mode: 0o600 })
  const rfqctl = (line: string) => run(line.split(' '), { cwd })

  const poor = await rfqctl('taker buy @1 --budget 20 --fill --key-file own.key --json')
  expect(JSON.parse(poor.stderr)).toMatchObject({ code: 'insufficient_gas', exitCode: 8 })
  expect(poor.stdout).toBe('')

  const drip = await rfqctl(`faucet ${privateKeyToAccount(key).address}`)
  expect(drip.code).toBe(0)
  expect((await rfqctl('taker request @1 --budget 20 --key-file own.key')).code).toBe(0)
  expect((await rfqctl('maker quote --price 0.2 --size 1000')).code).toBe(0)
  const confirming = rfqctl('maker confirm --wait 20s')
  const committed = await rfqctl('taker commit --fill --key-file own.key')
  expect(committed).toMatchObject({ code: 0, stdout: expect.stringContaining('filled: you hold 100') })
  expect((await confirming).code).toBe(0)
})
