const core = 'contracts/src/ServiceCore.sol'
const settlement = 'contracts/src/ServiceRFQSettlement.sol'
const nonces = 'contracts/src/MakerNonces.sol'
const authority = 'contracts/src/ResolutionAuthority.sol'
const math = 'contracts/src/OptionMath.sol'
const word = 'contracts/src/SeriesWord.sol'

/**
 * Faults that somebody could make, one at a time: `find` stands once in `file` and becomes `replace`.
 * @type {{ name: string, file: string, find: string, replace: string }[]}
 */
export const mutants = [
  { name: 'anybody fills', file: settlement, find: 'msg.sender != order.taker', replace: 'false' },
  {
    name: 'orders never expire',
    file: settlement,
    find: 'if (block.timestamp > order.validUntil) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'orders expire a second early',
    file: settlement,
    find: 'if (block.timestamp > order.validUntil) revert',
    replace: 'if (block.timestamp >= order.validUntil) revert',
  },
  {
    name: 'empty orders go on to the signature',
    file: settlement,
    find: 'if (order.optionAmount == 0) revert AmountZero();',
    replace: '',
  },
  {
    name: 'makers trade with themselves',
    file: settlement,
    find: 'if (maker == msg.sender) revert SelfTrade(msg.sender);',
    replace: '',
  },
  {
    name: 'no signature needed',
    file: settlement,
    find: 'if (!_isSignedByMaker(maker, digest, makerSignature)) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'any key signs for any maker',
    file: settlement,
    find: ' && recovered == maker) return true',
    replace: ') return true',
  },
  {
    name: 'contracts cannot be makers',
    file: settlement,
    find: 'return SignatureChecker.isValidERC1271SignatureNowCalldata(maker, digest, signature);',
    replace: 'return false;',
  },
  { name: 'orders fill many times', file: settlement, find: '_useNonce(maker, order.nonce);', replace: '' },
  {
    name: 'the taker uses up a nonce',
    file: settlement,
    find: '_useNonce(maker, order.nonce);',
    replace: '_useNonce(msg.sender, order.nonce);',
  },
  {
    name: 'the seller pays the premium',
    file: settlement,
    find: 'safeTransferFrom(holder, writer, order.premiumAmount)',
    replace: 'safeTransferFrom(writer, holder, order.premiumAmount)',
  },
  {
    name: 'no premium is paid',
    file: settlement,
    find: '_stablecoin.safeTransferFrom(holder, writer, order.premiumAmount);',
    replace: '',
  },
  {
    name: 'the premium goes to the settlement contract',
    file: settlement,
    find: 'safeTransferFrom(holder, writer, order.premiumAmount)',
    replace: 'safeTransferFrom(holder, address(this), order.premiumAmount)',
  },
  {
    name: 'the sides are swapped',
    file: settlement,
    find: 'order.makerSelling ? (maker, msg.sender) : (msg.sender, maker)',
    replace: 'order.makerSelling ? (msg.sender, maker) : (maker, msg.sender)',
  },
  {
    name: 'the side is ignored',
    file: settlement,
    find: 'order.makerSelling ? (maker, msg.sender) : (msg.sender, maker)',
    replace: '(maker, msg.sender)',
  },
  {
    name: 'premiums have no limit',
    file: settlement,
    find: 'if (order.premiumAmount > collateral) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'a premium of all the collateral is refused',
    file: settlement,
    find: 'if (order.premiumAmount > collateral) revert',
    replace: 'if (order.premiumAmount >= collateral) revert',
  },
  {
    name: 'permits name the other spender',
    file: settlement,
    find: 'address spender = _takerSpender(order);',
    replace: 'address spender = order.makerSelling ? address(_core) : address(this);',
  },
  {
    name: 'a front-run permit stops the fill',
    file: settlement,
    find: '{} catch {}',
    replace: '{} catch { revert BatchEmpty(); }',
  },
  {
    name: 'a batch leaves out its last order',
    file: settlement,
    find: 'i < orders.length',
    replace: 'i + 1 < orders.length',
  },
  {
    name: 'spare signatures are ignored',
    file: settlement,
    find: 'if (orders.length != makerSignatures.length) {',
    replace: 'if (false) {',
  },
  {
    name: 'the nonce is not signed',
    file: settlement,
    find: 'calldatacopy(add(encoded, 0x20), order, 0x100)',
    replace: 'calldatacopy(add(encoded, 0x20), order, 0xe0)',
  },
  {
    name: 'another domain version',
    file: settlement,
    find: 'EIP712("ServiceRFQSettlement", "1")',
    replace: 'EIP712("ServiceRFQSettlement", "2")',
  },
  {
    name: 'any core will do',
    file: settlement,
    find: 'if (core_.settlement() != address(this)) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'checkOrder forgets the signature',
    file: settlement,
    find: 'else if (!_isSignedByMaker(order.maker, hashOrder(order), makerSignature))',
    replace: 'else if (false)',
  },
  {
    name: 'checkOrder asks the maker for the wrong sum',
    file: settlement,
    find: 'order.makerSelling ? collateral : order.premiumAmount',
    replace: 'order.makerSelling ? order.premiumAmount : collateral',
  },
  {
    name: 'checkOrder looks at the wrong allowance',
    file: settlement,
    find: 'order.makerSelling ? address(_core) : address(this),',
    replace: 'order.makerSelling ? address(this) : address(_core),',
  },

  {
    name: 'nonces are checked and not used',
    file: nonces,
    find: '_nonces[maker][nonce >> 8] = used | bit;',
    replace: 'used;',
  },
  {
    name: 'a used nonce clears the others of its word',
    file: nonces,
    find: '_nonces[maker][nonce >> 8] = used | bit;',
    replace: '_nonces[maker][nonce >> 8] = bit;',
  },
  { name: 'a cancelled mask revives used nonces', file: nonces, find: 'used | mask;', replace: 'mask;' },
  {
    name: 'nonces 256 apart are one',
    file: nonces,
    find: 'return _nonces[maker][nonce >> 8]',
    replace: 'return _nonces[maker][0]',
  },

  {
    name: 'anybody writes options',
    file: core,
    find: 'if (msg.sender != settlement) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'writing goes on at expiry',
    file: core,
    find: 'if (block.timestamp >= series.expiry()) revert',
    replace: 'if (block.timestamp > series.expiry()) revert',
  },
  {
    name: 'a halt halts nothing',
    file: core,
    find: 'if (series.isHalted()) revert SeriesHalted(seriesId);',
    replace: '',
  },
  {
    name: 'open interest overflows into nothing',
    file: core,
    find: 'if (amount > type(uint128).max - openInterest)',
    replace: 'if (false)',
  },
  {
    name: 'open interest is not counted up',
    file: core,
    find: '_series[seriesId] = series.withMore(amount);',
    replace: '',
  },
  {
    name: 'a second write forgets the first',
    file: core,
    find: '_shorts[seriesId][writer] += amount;',
    replace: '_shorts[seriesId][writer] = amount;',
  },
  {
    name: 'the holder is booked as the writer',
    file: core,
    find: '_shorts[seriesId][writer] += amount;',
    replace: '_shorts[seriesId][holder] += amount;',
  },
  {
    name: 'the holder pays the collateral',
    file: core,
    find: 'safeTransferFrom(writer, address(this), collateral)',
    replace: 'safeTransferFrom(holder, address(this), collateral)',
  },
  {
    name: 'no collateral is taken',
    file: core,
    find: '_stablecoin.safeTransferFrom(writer, address(this), collateral);',
    replace: '',
  },
  {
    name: 'the mint comes before the collateral',
    file: core,
    find: '_stablecoin.safeTransferFrom(writer, address(this), collateral);\n        _mint(holder, seriesId, amount, "");',
    replace:
      '_mint(holder, seriesId, amount, "");\n        _stablecoin.safeTransferFrom(writer, address(this), collateral);',
  },
  {
    name: 'more is closed than was written',
    file: core,
    find: 'if (short < amount) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'closing burns no longs',
    file: core,
    find: '_burn(msg.sender, seriesId, amount);\n        emit PositionClosed',
    replace: 'emit PositionClosed',
  },
  { name: 'closing ends no shorts', file: core, find: 'shorts[msg.sender] = short - amount;', replace: '' },
  {
    name: 'closing leaves the open interest',
    file: core,
    find: 'if (!series.isSettled()) _series[seriesId] = series.withLess(amount);',
    replace: '',
  },
  {
    name: 'closing lowers a frozen open interest',
    file: core,
    find: 'if (!series.isSettled()) _series',
    replace: '_series',
  },
  {
    name: 'attestations never expire',
    file: core,
    find: 'if (block.timestamp > validUntil) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'attestations expire a second early',
    file: core,
    find: 'if (block.timestamp > validUntil) revert',
    replace: 'if (block.timestamp >= validUntil) revert',
  },
  { name: 'anybody attests', file: core, find: ' || recovered != resolutionSigner) {', replace: ') {' },
  {
    name: 'garbage attests once the signer is revoked',
    file: core,
    find: 'err != ECDSA.RecoverError.NoError || recovered',
    replace: 'recovered',
  },
  {
    name: 'series settle before expiry',
    file: core,
    find: 'if (block.timestamp < series.expiry()) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'series settle a second late',
    file: core,
    find: 'if (block.timestamp < series.expiry()) revert',
    replace: 'if (block.timestamp <= series.expiry()) revert',
  },
  { name: 'series settle twice', file: core, find: 'if (series.isSettled()) revert', replace: 'if (false) revert' },
  {
    name: 'a price of 101 settles',
    file: core,
    find: 'if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);\n        _series',
    replace: '_series',
  },
  {
    name: 'a price of 101 is announced',
    file: core,
    find: 'if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);\n        uint256 earliest',
    replace: 'uint256 earliest',
  },
  {
    name: 'manual resolution does not wait for the signer',
    file: core,
    find: 'if (block.timestamp < earliest) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'manual resolution gives no notice',
    file: core,
    find: 'if (block.timestamp < proposal.executableAt) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'anybody executes a manual resolution',
    file: core,
    find: 'function executeManual(uint256 seriesId) external onlyOwner',
    replace: 'function executeManual(uint256 seriesId) external',
  },
  {
    name: 'holders claim before settlement',
    file: core,
    find: 'if (!series.isSettled()) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'a holder claims and keeps its options',
    file: core,
    find: '_burn(msg.sender, seriesId, amount);\n        unchecked',
    replace: 'unchecked',
  },
  {
    name: 'holders are paid the most',
    file: core,
    find: 'payout = amount * series.payoff();',
    replace: 'payout = amount * series.maxPayoff();',
  },
  {
    name: 'payouts ignore the recipient',
    file: core,
    find: 'emit HolderPayoutClaimed(seriesId, msg.sender, to, amount, payout);\n        _pay(to, payout);',
    replace: 'emit HolderPayoutClaimed(seriesId, msg.sender, to, amount, payout);\n        _pay(msg.sender, payout);',
  },
  { name: 'a writer claims again and again', file: core, find: 'delete _shorts[seriesId][msg.sender];', replace: '' },
  {
    name: 'writers get all their collateral back',
    file: core,
    find: 'short * (series.maxPayoff() - series.payoff())',
    replace: 'short * series.maxPayoff()',
  },
  {
    name: 'money is sent to the core itself',
    file: core,
    find: ' || to == address(this)) revert',
    replace: ') revert',
  },
  {
    name: 'writing can be entered again',
    file: core,
    find: 'external\n        nonReentrant\n        returns (uint256 collateral)\n    {\n        if (msg.sender != settlement)',
    replace: 'external\n        returns (uint256 collateral)\n    {\n        if (msg.sender != settlement)',
  },
  {
    name: 'closing can be entered from the mint',
    file: core,
    find: 'external\n        nonReentrant\n        returns (uint256 collateral)\n    {\n        if (amount == 0) revert AmountZero();\n        SeriesWord series = _known',
    replace:
      'external\n        returns (uint256 collateral)\n    {\n        if (amount == 0) revert AmountZero();\n        SeriesWord series = _known',
  },
  {
    name: 'holder claims can be entered from the mint',
    file: core,
    find: 'public\n        nonReentrant\n        returns (uint256 payout)',
    replace: 'public\n        returns (uint256 payout)',
  },
  {
    name: 'writer claims can be entered from the mint',
    file: core,
    find: 'public nonReentrant returns (uint256 collateral)',
    replace: 'public returns (uint256 collateral)',
  },
  {
    name: 'anybody registers series',
    file: core,
    find: 'external onlyOwner returns (uint256 seriesId)',
    replace: 'external returns (uint256 seriesId)',
  },
  {
    name: 'a series is created over a living one',
    file: core,
    find: 'if (_series[seriesId].exists()) revert SeriesExists(seriesId);',
    replace: '',
  },
  {
    name: 'expiries may be in milliseconds',
    file: core,
    find: ' || expiry > block.timestamp + MAX_TENOR',
    replace: '',
  },
  {
    name: 'strikes may be a whole dollar',
    file: core,
    find: 'strikeBps >= OptionMath.STRIKE_ONE',
    replace: 'strikeBps > OptionMath.STRIKE_ONE',
  },

  {
    name: 'a signer takes office at once',
    file: authority,
    find: 'if (block.timestamp < pending.acceptableAt) revert',
    replace: 'if (false) revert',
  },
  {
    name: 'a revoked signer stays in office',
    file: authority,
    find: 'if (inOffice) delete resolutionSigner;',
    replace: '',
  },
  {
    name: 'a revoked candidate stays announced',
    file: authority,
    find: 'if (isPending) delete pendingResolutionSigner;',
    replace: '',
  },
  {
    name: 'anybody announces a signer',
    file: authority,
    find: 'function proposeResolutionSigner(address signer) external onlyOwner',
    replace: 'function proposeResolutionSigner(address signer) external',
  },
  { name: 'the owner vanishes', file: authority, find: 'revert OwnershipNotRenounceable();', replace: '' },

  {
    name: 'calls and puts are swapped',
    file: math,
    find: 'if (optionType == CALL) return',
    replace: 'if (optionType == PUT) return',
  },
  {
    name: 'calls lock what puts lock',
    file: math,
    find: 'optionType == CALL ? STRIKE_ONE - strikeBps : strikeBps',
    replace: 'strikeBps',
  },
  {
    name: 'the two scales are one',
    file: math,
    find: 'MICRO_PER_RESOLUTION_BPS = 10_000',
    replace: 'MICRO_PER_RESOLUTION_BPS = 100',
  },
  { name: 'a price of 101 is a price', file: math, find: 'RESOLUTION_ONE = 100', replace: 'RESOLUTION_ONE = 101' },

  {
    name: 'a halt cannot be lifted',
    file: word,
    find: 'halted ? bits | HALTED : bits & ~HALTED',
    replace: 'bits | HALTED',
  },
  {
    name: 'a settlement forgets its price',
    file: word,
    find: '| SETTLED | uint256(resolution) << RESOLUTION_AT',
    replace: '| SETTLED',
  },
]
