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
  {
    name: 'a halt also lifts the cap',
    proof: 'SeriesWordProofs',
    property: 'withHalt',
    file: 'contracts/src/SeriesWord.sol',
    find: ': bits & ~HALTED',
    replace: ': bits & ~(HALTED | CAPPED)',
  },
  {
    name: 'the sign of a floor is lost',
    proof: 'SeriesWordProofs',
    property: 'createPackage',
    file: 'contracts/src/SeriesWord.sol',
    find: '(int256(SeriesWord.unwrap(word) << 88) >> 236)',
    replace: 'int256(SeriesWord.unwrap(word) << 88 >> 236)',
  },
  {
    name: 'a put pays as a call',
    proof: 'PayoffProofs',
    property: 'payoffIsWithinCollateral',
    file: 'contracts/src/OptionMath.sol',
    find: 'if (optionType != CALL) inMoney = -inMoney;',
    replace: '',
  },
  {
    name: 'packed legs lose their sign',
    proof: 'LegsProofs',
    property: 'packsAndUnpacks',
    file: 'contracts/src/PackageLegs.sol',
    find: 'if (quantity < 0) leg |= PACKED_SIGN;',
    replace: '',
  },
  {
    name: 'a writer takes the whole collateral',
    proof: 'CoreProofs',
    property: 'writerIsPaidWhatItIsOwed',
    file: 'contracts/src/ServiceCore.sol',
    find: 'collateral = _redeemShort(series.maxPayoff() - series.payoffAt(resolutionBps), ',
    replace: 'collateral = _redeemShort(series.maxPayoff(), ',
  },
  {
    name: 'a claim leaves the short',
    proof: 'CoreProofs',
    property: 'accountLosesItsOptionsAlone',
    file: 'contracts/src/ServiceCore.sol',
    find: 'delete _shorts[seriesId][account];',
    replace: '',
  },
  {
    name: 'the guardian vetoes a final price',
    proof: 'PriceProofs',
    property: 'vetoKeepsFinal',
    file: 'contracts/src/ResolutionAuthority.sol',
    find: 'if (_isFinal(fixing)) revert PriceFinal(seriesId, fixing.finalAt());',
    replace: '',
  },
  {
    name: 'a revocation voids what was final before it',
    proof: 'PriceProofs',
    property: 'revocationKeepsFinal',
    file: 'contracts/src/ResolutionAuthority.sol',
    find: 'return revokedAt == 0 || revokedAt >= fixing.finalAt();',
    replace: 'return revokedAt == 0;',
  },
]
