import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeAbiParameters, encodePacked, keccak256, toHex } from 'viem'
import { compileYul, root } from './compile.mjs'

const words = (/** @type {number} */ count) => Array.from({ length: count }, () => ({ type: 'uint256' }))

/** @param {string} name */
function bytecodeOf(name) {
  const path = `contracts/gas/${name}.yul`
  return compileYul(path, readFileSync(join(root, path), 'utf8'))
}

/** Writes the hand-written contracts where contracts/test/differential/Floor.t.sol finds them. */
export function writeFloor() {
  const folder = join(root, 'contracts/cache/floor')
  mkdirSync(folder, { recursive: true })
  for (const name of ['FloorCore', 'FloorSettlement']) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ abi: [], bytecode: bytecodeOf(name) }))
  }
}

/** @param {string} name @param {bigint[]} values the constructor's words */
function creationCode(name, values) {
  const bytecode = bytecodeOf(name)
  return encodePacked(['bytes', 'bytes'], [bytecode, encodeAbiParameters(words(values.length), values)])
}

/** @param {string} name @param {number} chainId @param {`0x${string}`} verifyingContract */
function domainSeparator(name, chainId, verifyingContract) {
  const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
  const values = [keccak256(toHex(type)), keccak256(toHex(name)), keccak256(toHex('1')), chainId, verifyingContract]
  return BigInt(keccak256(encodeAbiParameters(words(5), values.map(BigInt))))
}

/**
 * Creation codes of the two hand-written contracts that do the work of ours.
 * @param {Record<'stablecoin' | 'core' | 'settlement' | 'signer' | 'registrar', `0x${string}`>} addresses
 * @param {number} chainId
 */
export function floorCodes({ stablecoin, core, settlement, signer, registrar }, chainId) {
  return {
    core: creationCode('FloorCore', [
      BigInt(stablecoin),
      BigInt(settlement),
      BigInt(signer),
      BigInt(registrar),
      domainSeparator('ServiceCore', chainId, core),
      BigInt(chainId),
      0n, // no dispute window
      0n, // no trading cut-off
    ]),
    settlement: creationCode('FloorSettlement', [
      BigInt(core),
      BigInt(stablecoin),
      domainSeparator('ServiceRFQSettlement', chainId, settlement),
      BigInt(chainId),
    ]),
  }
}
