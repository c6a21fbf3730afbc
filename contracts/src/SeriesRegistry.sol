// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord, FixingWords} from "./FixingWord.sol";
import {IConditionalTokens} from "./IConditionalTokens.sol";
import {IServiceCore} from "./IServiceCore.sol";
import {OptionMath} from "./OptionMath.sol";
import {PackageLegs} from "./PackageLegs.sol";
import {Roles} from "./Roles.sol";
import {SeriesWord, SeriesWords} from "./SeriesWord.sol";

/// @title SeriesRegistry
/// @notice The registry holds the series and packages with their halts, and the fixing of each market and expiry with its cap.
abstract contract SeriesRegistry is IServiceCore, Roles {
    /// @dev An expiry beyond this is a unit mistake (milliseconds) that would lock collateral for good.
    uint256 private constant MAX_TENOR = 36_525 days;
    /// @dev A longer cut-off is a unit mistake.
    uint256 private constant MAX_TRADING_CUTOFF = 7 days;
    /// @dev The number of a fixing has 32 bits; the bit above says that it has a cap.
    uint256 private constant CAPPED = 1 << 32;

    /// @inheritdoc IServiceCore
    uint64 public immutable TRADING_CUTOFF;
    /// @inheritdoc IServiceCore
    address public immutable conditionalTokens;

    /// @inheritdoc IServiceCore
    /// @dev It shares a storage word with the registrar and the number of the last fixing.
    uint64 public defaultCap;
    uint32 private _lastFixing;

    mapping(uint256 seriesId => SeriesWord) internal _series;
    /// @dev Number of the fixing of a condition, token and expiry, with CAPPED; zero for none.
    mapping(bytes32 key => uint256) private _fixingOf;
    mapping(uint256 fixing => Exposure) private _exposures;
    /// @dev The number of a fixing is its place, so that its slot takes no hash.
    FixingWord[1 << 32] private _fixings;

    /// @notice Fixes the end of trading, and whose tokens the series name.
    /// @param tradingCutoff_ Seconds before expiry at which trading ends, at most 7 days; 0 for the expiry itself.
    /// @param conditionalTokens_ Conditional-token contract; zero for none.
    constructor(uint64 tradingCutoff_, address conditionalTokens_) {
        if (tradingCutoff_ > MAX_TRADING_CUTOFF) revert TradingCutoffTooLong(tradingCutoff_);
        TRADING_CUTOFF = tradingCutoff_;
        conditionalTokens = conditionalTokens_;
    }

    /// @inheritdoc IServiceCore
    function createSeries(
        bytes32 conditionId,
        uint256 yesClobTokenId,
        address conditionCollateral,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    ) external returns (uint256 seriesId) {
        if (msg.sender != _registrar && msg.sender != owner) {
            revert NotInRole(Role.Registrar, msg.sender);
        }
        if (strikeBps == 0 || strikeBps >= OptionMath.STRIKE_ONE) revert StrikeOutOfRange(strikeBps);
        if (expiry <= block.timestamp || expiry > block.timestamp + MAX_TENOR) {
            revert ExpiryOutOfRange(expiry, block.timestamp);
        }
        if (optionType > OptionMath.PUT) revert OptionTypeInvalid(optionType);
        seriesId = seriesIdOf(conditionId, yesClobTokenId, strikeBps, expiry, optionType);
        uint256 fixing = _fixingFor(conditionId, yesClobTokenId, expiry, conditionCollateral);
        uint256 most = OptionMath.maxPayoff(optionType, strikeBps);
        _create(seriesId, expiry, fixing, PackageLegs.one(optionType, strikeBps), 0, int256(most));
        emit SeriesCreated(seriesId, conditionId, yesClobTokenId, strikeBps, expiry, optionType);
    }

    /// @inheritdoc IServiceCore
    function createPackage(bytes32 conditionId, uint256 yesClobTokenId, uint64 expiry, uint256 legs)
        external
        returns (uint256 seriesId)
    {
        if (!PackageLegs.isNormal(legs)) revert LegsNotNormal(legs);
        SeriesWord leg;
        for (uint256 rest = legs; rest != 0; rest >>= 32) {
            leg = _tradable(_idOf(conditionId, yesClobTokenId, uint16(rest), expiry, uint8(rest >> 16)));
        }
        (int256 floor, int256 most) = PackageLegs.boundsOf(legs);
        if (floor == most) revert PayoffConstant(legs);
        seriesId = _idOf(conditionId, yesClobTokenId, legs, expiry, PackageLegs.PACKAGE);
        uint256 fixing = leg.isCapped() ? leg.fixing() | CAPPED : leg.fixing();
        _create(seriesId, expiry, fixing, PackageLegs.pack(legs), floor, most);
        emit PackageCreated(seriesId, conditionId, yesClobTokenId, legs, expiry);
    }

    /// @inheritdoc IServiceCore
    function setHalted(uint256[] calldata seriesIds, bool halted) external {
        if (msg.sender != owner && !(halted && (msg.sender == _halter || msg.sender == _guardian))) {
            revert NotInRole(halted ? Role.Halter : Role.Owner, msg.sender);
        }
        for (uint256 i = 0; i < seriesIds.length; ++i) {
            uint256 seriesId = seriesIds[i];
            _series[seriesId] = _known(seriesId).withHalt(halted);
            emit SeriesHaltChanged(seriesId, halted);
        }
    }

    /// @inheritdoc IServiceCore
    function setDefaultCap(uint64 cap) external onlyOwner {
        defaultCap = cap;
        emit DefaultCapChanged(cap);
    }

    /// @inheritdoc IServiceCore
    function exposureOf(uint256 seriesId) external view returns (Exposure memory) {
        return _exposures[_known(seriesId).fixing()];
    }

    /// @inheritdoc IServiceCore
    function legsOf(uint256 seriesId) external view returns (uint256 legs, int256 floor) {
        SeriesWord series = _known(seriesId);
        return (series.legs(), series.floorValue());
    }

    /// @inheritdoc IServiceCore
    function maxPayoff(uint256 seriesId) public view returns (uint256) {
        return _known(seriesId).maxPayoff();
    }

    /// @inheritdoc IServiceCore
    function requiredCollateral(uint256 seriesId, uint256 amount) external view returns (uint256) {
        return amount * maxPayoff(seriesId);
    }

    /// @inheritdoc IServiceCore
    function seriesIdOf(bytes32 conditionId, uint256 yesClobTokenId, uint16 strikeBps, uint64 expiry, uint8 optionType)
        public
        pure
        returns (uint256 seriesId)
    {
        return _idOf(conditionId, yesClobTokenId, strikeBps, expiry, optionType);
    }

    function _known(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _series[seriesId];
        if (!series.exists()) revert SeriesUnknown(seriesId);
    }

    /// @dev Options of the series can be written, and sold by their holders. There is no price before the expiry.
    function _tradable(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _series[seriesId];
        // The word of an unknown series is zero, and so is its expiry. A cut-off is at most 7 days.
        unchecked {
            if (block.timestamp + TRADING_CUTOFF >= series.expiry()) {
                revert TradingEnded(seriesId, _tradingEndsAt(_known(seriesId)));
            }
        }
        if (series.isHalted()) revert SeriesHalted(seriesId);
    }

    function _fixing(SeriesWord series) internal view returns (FixingWord) {
        return _fixings[series.fixing()];
    }

    function _setFixing(SeriesWord series, FixingWord fixing) internal {
        _fixings[series.fixing()] = fixing;
    }

    function _tradingEndsAt(SeriesWord series) internal view returns (uint256) {
        return series.expiry() - TRADING_CUTOFF;
    }

    /// @dev Books what may have to be paid more. The caller has checked that the series is capped.
    function _addExposure(uint256 seriesId, SeriesWord series, uint256 collateral) internal {
        Exposure storage exposure = _exposures[series.fixing()];
        (uint256 owed, uint256 cap) = (exposure.owed, exposure.cap);
        if (owed + collateral > cap) revert ExposureAboveCap(seriesId, owed, collateral, cap);
        exposure.owed = uint128(owed + collateral);
    }

    /// @dev Books what has been closed. The caller has checked that the series is capped.
    function _reduceExposure(SeriesWord series, uint256 collateral) internal {
        _exposures[series.fixing()].owed -= uint128(collateral);
    }

    /// @return Options of the series that the cap of its fixing still allows.
    function _headroom(SeriesWord series) internal view returns (uint256) {
        if (!series.isCapped()) return SeriesWords.MAX_OPEN_INTEREST - series.openInterest();
        // A cap of 64 bits is less than what a series can have outstanding.
        Exposure memory exposure = _exposures[series.fixing()];
        return (exposure.cap - exposure.owed) / series.maxPayoff();
    }

    function _idOf(Terms calldata terms) internal pure returns (uint256) {
        return _idOf(terms.conditionId, terms.yesClobTokenId, terms.shape, terms.expiry, terms.kind);
    }

    /// @param fixing Number of the fixing, with CAPPED.
    function _create(uint256 seriesId, uint64 expiry, uint256 fixing, uint256 packed, int256 floor, int256 most)
        private
    {
        if (_series[seriesId].exists()) revert SeriesExists(seriesId);
        _series[seriesId] = SeriesWords.create(expiry, uint32(fixing), fixing & CAPPED != 0, packed, floor, most);
    }

    /// @return fixing Number of the fixing, with CAPPED. The first series of a market and expiry creates it.
    function _fixingFor(bytes32 conditionId, uint256 yesClobTokenId, uint64 expiry, address conditionCollateral)
        private
        returns (uint256 fixing)
    {
        bytes32 key = keccak256(abi.encode(conditionId, yesClobTokenId, expiry));
        fixing = _fixingOf[key];
        if (fixing != 0) return fixing;
        bool isSecond =
            conditionalTokens != address(0) && _isSecondOutcome(conditionId, yesClobTokenId, conditionCollateral);
        uint256 number = ++_lastFixing;
        _fixings[number] = FixingWords.create(expiry, isSecond);
        uint64 cap = defaultCap;
        if (cap != 0) _exposures[number] = Exposure({owed: 0, cap: cap});
        fixing = cap == 0 ? number : number | CAPPED;
        _fixingOf[key] = fixing;
    }

    /// @dev Returns which outcome of the condition the token is. The token id is a hash of the collateral and the outcome, so that
    /// no other `conditionCollateral` can match.
    function _isSecondOutcome(bytes32 conditionId, uint256 yesClobTokenId, address conditionCollateral)
        private
        view
        returns (bool)
    {
        IConditionalTokens market = IConditionalTokens(conditionalTokens);
        for (uint256 outcome = 0; outcome < 2; ++outcome) {
            bytes32 collectionId = market.getCollectionId(bytes32(0), conditionId, 1 << outcome);
            if (market.getPositionId(conditionCollateral, collectionId) == yesClobTokenId) return outcome != 0;
        }
        revert ConditionMismatch(conditionId, yesClobTokenId, conditionCollateral);
    }

    function _idOf(bytes32 conditionId, uint256 yesClobTokenId, uint256 shape, uint64 expiry, uint8 kind)
        private
        pure
        returns (uint256)
    {
        return uint256(keccak256(abi.encode(conditionId, yesClobTokenId, shape, expiry, kind)));
    }
}
