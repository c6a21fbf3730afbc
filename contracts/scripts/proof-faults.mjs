/**
 * Faults of contracts/src that a proof must notice: with one planted, its property is not proven.
 * @typedef {{ name: string, proof: string, property: string, file: string, find: string, replace: string }} Fault
 */

/** @type {Fault[]} */
export const faults = [
  {
    name: 'a veto keeps the price',
    proof: 'FixingWordProofs',
    property: 'withVeto',
    file: 'contracts/src/FixingWord.sol',
    find: '& ~PRICE | VETOED',
    replace: '| VETOED',
  },
  {
    name: 'an announcement has one bit too many',
    proof: 'FixingWordProofs',
    property: 'withManual',
    file: 'contracts/src/FixingWord.sol',
    find: 'FixingWord.unwrap(word) & ~MANUAL | uint256(resolution) << MANUAL_BPS_AT | uint256(executableAt)',
    replace:
      'FixingWord.unwrap(word) & ~(MANUAL | 1 << 127) | uint256(resolution) << MANUAL_BPS_AT | uint256(executableAt)',
  },
]
