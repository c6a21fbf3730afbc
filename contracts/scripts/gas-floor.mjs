import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeAbiParameters, encodePacked, keccak256, toHex } from 'viem'
import { compileYul, root } from './compile.mjs'

const words = (/** @type {number} */ count) => Array.from({ length: count }, () => ({ type: 'uint256' }))

/** @param {string} name @param {bigint[]} values the constructor's words */
function creationCode(name, values) {
  const path = `contracts/gas/${name}.yul`
  const bytecode = compileYul(path, readFileSync(join(root, path), 'utf8'))
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
 * @param {Record<'stablecoin' | 'core' | 'settlement' | 'signer' | 'owner', `0x${string}`>} addresses
 * @param {number} chainId
 */
export function floorCodes({ stablecoin, core, settlement, signer, owner }, chainId) {
  return {
    core: creationCode('FloorCore', [
      BigInt(stablecoin),
      BigInt(settlement),
      BigInt(signer),
      BigInt(owner),
      domainSeparator('ServiceCore', chainId, core),
      BigInt(chainId),
    ]),
    settlement: creationCode('FloorSettlement', [
      BigInt(core),
      BigInt(stablecoin),
      domainSeparator('ServiceRFQSettlement', chainId, settlement),
      BigInt(chainId),
    ]),
  }
}
