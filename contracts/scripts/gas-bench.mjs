import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, getContractAddress, http, keccak256, maxUint256, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { root } from './compile.mjs'
import { floorCodes } from './gas-floor.mjs'

export const START = 1_750_000_000
const EXPIRY = BigInt(START + 1_000_000)
const CHAIN_ID = 80_002
/** The words of Anvil's public accounts: money of a local chain that lives for a minute. */
const MNEMONIC = 'test test test test test test test test test test test junk'

const orderFields = [
  'maker',
  'seriesId',
  'optionAmount',
  'premiumAmount',
  'makerSelling',
  'taker',
  'validUntil',
  'nonce',
]
const orderType = orderFields.map((name) => {
  if (name === 'maker' || name === 'taker') return { name, type: 'address' }
  return { name, type: name === 'makerSelling' ? 'bool' : 'uint256' }
})
const attestationType = [
  { name: 'seriesId', type: 'uint256' },
  { name: 'resolutionBps', type: 'uint16' },
  { name: 'validUntil', type: 'uint256' },
]
const permitType = ['owner', 'spender', 'value', 'nonce', 'deadline'].map((name) => ({
  name,
  type: name === 'owner' || name === 'spender' ? 'address' : 'uint256',
}))

/** @param {string} name */
const artifactOf = (name) => JSON.parse(readFileSync(join(root, 'contracts/artifacts', `${name}.json`), 'utf8'))
const [coreArtifact, settlementArtifact, usdArtifact] = ['ServiceCore', 'ServiceRFQSettlement', 'TestUSD'].map(
  artifactOf,
)

/**
 * @typedef {{ gas: number, logs: string }} Measure
 * @typedef {{ core: `0x${string}`, settlement: `0x${string}` }} Target
 */

/**
 * A bench on one chain: deploys the stablecoin, funds ten accounts, and measures receipts.
 * @param {string} url
 */
export async function createBench(url) {
  const chain = {
    id: CHAIN_ID,
    name: 'local',
    nativeCurrency: { name: 'ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  }
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 10, cacheTime: 0 })
  const wallets = Array.from({ length: 10 }, (_, addressIndex) =>
    createWalletClient({ account: mnemonicToAccount(MNEMONIC, { addressIndex }), chain, transport: http() }),
  )
  const [owner, signer, ...traders] = wallets

  /** @param {`0x${string}`} hash */
  async function receiptOf(hash) {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`${hash} reverted`)
    return receipt
  }

  /** @param {any} wallet @param {any} call */
  const send = async (wallet, call) => receiptOf(await wallet.writeContract({ gas: 2_000_000n, ...call }))

  /** @param {any} deployment */
  async function deploy(deployment) {
    const { contractAddress } = await receiptOf(await owner.deployContract(deployment))
    if (!contractAddress) throw new Error('no contract was created')
    return contractAddress
  }

  const usd = await deploy({ ...usdArtifact, args: [owner.account.address, owner.account.address] })
  for (const { account } of traders) {
    await send(owner, { address: usd, abi: usdArtifact.abi, functionName: 'mint', args: [account.address, 10n ** 12n] })
  }

  /** Addresses of the next two contracts the owner creates. */
  async function nextTarget() {
    const nonce = BigInt(await reader.getTransactionCount({ address: owner.account.address }))
    const from = owner.account.address
    return { core: getContractAddress({ from, nonce }), settlement: getContractAddress({ from, nonce: nonce + 1n }) }
  }

  /** @returns {Promise<Target>} */
  async function deployOurs() {
    const target = await nextTarget()
    const uri = 'https://rfq.example/series/{id}'
    const args = [usd, target.settlement, signer.account.address, owner.account.address, uri]
    await deploy({ ...coreArtifact, args })
    await deploy({ ...settlementArtifact, args: [target.core] })
    return target
  }

  /** @returns {Promise<Target>} */
  async function deployFloor() {
    const target = await nextTarget()
    const addresses = { ...target, stablecoin: usd, signer: signer.account.address, owner: owner.account.address }
    const codes = floorCodes(addresses, CHAIN_ID)
    await deploy({ abi: [], bytecode: codes.core })
    await deploy({ abi: [], bytecode: codes.settlement })
    return target
  }

  /**
   * Everything there is to do, in one fixed order, at one of the two targets.
   * @param {Target} target
   * @returns {Promise<Map<string, Measure>>}
   */
  async function measureAll(target) {
    /** @type {Map<string, Measure>} */
    const measures = new Map()
    let nonce = 0n

    /** @param {string} name @param {Promise<any>} pending */
    async function measure(name, pending) {
      const receipt = await pending
      const places = [target.core, target.settlement].map((address) => address.slice(2).toLowerCase())
      // The same events, but for the addresses of the contracts themselves.
      const logs = JSON.stringify(receipt.logs.map((/** @type {any} */ log) => [log.address, log.topics, log.data]))
      const neutral = places.reduce((text, place, i) => text.replaceAll(new RegExp(place, 'gi'), `<${i}>`), logs)
      measures.set(name, { gas: Number(receipt.gasUsed), logs: neutral })
      return receipt
    }
    /** @param {any} wallet @param {string} functionName @param {unknown[]} args */
    const atCore = (wallet, functionName, args) =>
      send(wallet, { address: target.core, abi: coreArtifact.abi, functionName, args })
    /** @param {any} wallet @param {string} functionName @param {unknown[]} args */
    const atSettlement = (wallet, functionName, args) =>
      send(wallet, { address: target.settlement, abi: settlementArtifact.abi, functionName, args })
    /** @param {any} wallet @param {`0x${string}`} spender @param {bigint} amount */
    const approve = (wallet, spender, amount) =>
      send(wallet, { address: usd, abi: usdArtifact.abi, functionName: 'approve', args: [spender, amount] })

    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling */
    async function signedOrder(maker, taker, seriesId, makerSelling) {
      const order = {
        maker: maker.account.address,
        seriesId,
        optionAmount: 250n,
        premiumAmount: 77_500_000n,
        makerSelling,
        taker: taker.account.address,
        validUntil: EXPIRY,
        nonce: nonce++,
      }
      const domain = {
        name: 'ServiceRFQSettlement',
        version: '1',
        chainId: CHAIN_ID,
        verifyingContract: target.settlement,
      }
      const types = { Order: orderType }
      return { order, signature: await maker.signTypedData({ domain, types, primaryType: 'Order', message: order }) }
    }
    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {boolean} makerSelling */
    async function fill(maker, taker, seriesId, makerSelling) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, makerSelling)
      return atSettlement(taker, 'fill', [order, signature])
    }
    /** @param {any} maker @param {any} taker @param {bigint} seriesId */
    async function fillWithPermit(maker, taker, seriesId) {
      const { order, signature } = await signedOrder(maker, taker, seriesId, true)
      const owner = taker.account.address
      const used = await reader.readContract({
        address: usd,
        abi: usdArtifact.abi,
        functionName: 'nonces',
        args: [owner],
      })
      const rsv = await taker.signTypedData({
        domain: { name: 'Test USD', version: '1', chainId: CHAIN_ID, verifyingContract: usd },
        types: { Permit: permitType },
        primaryType: 'Permit',
        message: { owner, spender: target.settlement, value: order.premiumAmount, nonce: used, deadline: EXPIRY },
      })
      const [r, s, v] = [`0x${rsv.slice(2, 66)}`, `0x${rsv.slice(66, 130)}`, Number(`0x${rsv.slice(130)}`)]
      const permit = { value: order.premiumAmount, deadline: EXPIRY, v, r, s }
      return atSettlement(taker, 'fillWithPermit', [order, signature, permit])
    }
    /** @param {any} maker @param {any} taker @param {bigint} seriesId @param {number} size */
    async function fillBatch(maker, taker, seriesId, size) {
      /** @type {Awaited<ReturnType<typeof signedOrder>>[]} */
      const signed = []
      for (let i = 0; i < size; i++) signed.push(await signedOrder(maker, taker, seriesId, true))
      return atSettlement(taker, 'fillBatch', [signed.map(({ order }) => order), signed.map((s) => s.signature)])
    }
    /** @param {string} condition */
    const createSeries = async (condition) => {
      const receipt = await atCore(owner, 'createSeries', [keccak256(toHex(condition)), 123n, 4500, EXPIRY, 0])
      return { receipt, seriesId: BigInt(receipt.logs[0].topics[1] ?? 0) }
    }

    for (const wallet of traders) {
      await approve(wallet, target.core, maxUint256)
      await approve(wallet, target.settlement, maxUint256)
    }
    const [maker, taker, otherTaker, buyer, writer, otherWriter, first, second] = traders
    // So that the core holds money already, as it does for all but the very first trade.
    await fill(first, second, (await createSeries('another')).seriesId, true)

    const { receipt: created, seriesId } = await createSeries('measured')
    await measure('createSeries', Promise.resolve(created))
    await measure('fill, cold', fill(maker, taker, seriesId, true))
    await measure('fill, busy maker', fill(maker, otherTaker, seriesId, true))
    await measure('fill, warm', fill(maker, taker, seriesId, true))
    await measure('fill, taker sells, cold', fill(buyer, writer, seriesId, false))
    await measure('fill, taker sells, busy maker', fill(buyer, otherWriter, seriesId, false))
    await measure('fill, taker sells, warm', fill(buyer, writer, seriesId, false))

    const single = Number((await fillBatch(maker, taker, seriesId, 1)).gasUsed)
    const { gas, logs } = await measure('batch', fillBatch(maker, taker, seriesId, 5)).then(
      () => measures.get('batch') ?? fail(),
    )
    measures.delete('batch')
    measures.set('fillBatch, each further order', { gas: Math.ceil((gas - single) / 4), logs })

    await approve(taker, target.settlement, 0n)
    await fillWithPermit(maker, taker, seriesId)
    await measure('fillWithPermit, warm', fillWithPermit(maker, taker, seriesId))
    await approve(taker, target.settlement, maxUint256)

    await fill(maker, taker, seriesId, false)
    await measure('closePosition, a part', atCore(maker, 'closePosition', [seriesId, 100n, maker.account.address]))
    await measure('closePosition, all longs', atCore(maker, 'closePosition', [seriesId, 150n, maker.account.address]))

    await reader.request({
      method: /** @type {any} */ ('evm_setNextBlockTimestamp'),
      params: /** @type {any} */ ([toHex(EXPIRY)]),
    })
    const attestation = await signer.signTypedData({
      domain: { name: 'ServiceCore', version: '1', chainId: CHAIN_ID, verifyingContract: target.core },
      types: { SettlementAttestation: attestationType },
      primaryType: 'SettlementAttestation',
      message: { seriesId, resolutionBps: 60, validUntil: EXPIRY + 900n },
    })
    const settle = [seriesId, 60, EXPIRY + 900n, attestation]
    await measure('settleWithAttestation', atCore(first, 'settleWithAttestation', settle))
    await measure('claimHolderPayout, a part', atCore(otherTaker, 'claimHolderPayout', [seriesId, 100n]))
    await measure('claimHolderPayout', atCore(otherTaker, 'claimHolderPayout', [seriesId, 150n]))
    await measure('claimWriterCollateral', atCore(maker, 'claimWriterCollateral', [seriesId]))
    return measures
  }

  return { deployOurs, deployFloor, measureAll }
}

/** @returns {never} */
function fail() {
  throw new Error('nothing was measured')
}
