import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import * as client from '../../src/client/index.ts'

/** What a function does comes first in its name. */
const VERBS =
  /^(?:accept|approve|authorize|block|cancel|check|claim|close|commit|compute|confirm|create|decline|execute|fill|format|get|halt|list|open|prepare|propose|prove|register|request|reset|resolve|revoke|run|send|set|settle|sign|submit|veto|watch|withdraw)[A-Z]/

/** As `BigInt` does, these name the unit that they make. */
const CONVERSIONS = ['contracts', 'toProtectionsInput', 'toRequestedOption', 'toUsd6', 'usd6', 'usd6ToNumber']

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const chain = { chainId: 1, settlementAddress: account.address, coreAddress: account.address }
const url = 'http://127.0.0.1:1'
const clients = {
  taker: client.createTakerClient({ url }),
  maker: client.createMakerClient({ url, apiKey: null, account, chain }),
  operator: client.createOperatorClient({ url, token: '' }),
  account: client.createAccountClient({ url, accessToken: '' }),
  calls: client.createContractCalls(chain),
  relayer: client.createRelayerClient({ url }),
}

const isClass = (value: unknown): boolean => Object.getPrototypeOf(value) !== Function.prototype

it('every function that is exported says by a verb what it does', () => {
  const names = Object.entries(client)
    .filter(([, value]) => typeof value === 'function' && !isClass(value))
    .map(([name]) => name)
  expect(names).toContain('createTakerClient')
  expect(names.filter((name) => !VERBS.test(name) && !CONVERSIONS.includes(name))).toEqual([])
})

it.each(Object.entries(clients))('every method of a client (%s) says by a verb what it does', (_, made) => {
  const names = Object.keys(made)
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !VERBS.test(name))).toEqual([])
})
