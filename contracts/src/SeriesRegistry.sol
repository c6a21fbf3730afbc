// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {OptionMath} from "./OptionMath.sol";
import {PackageLegs} from "./PackageLegs.sol";
import {Roles} from "./Roles.sol";
import {SeriesWord, SeriesWords} from "./SeriesWord.sol";

/// @title SeriesRegistry
/// @notice The registry holds the series and packages, their halts and their caps.
abstract contract SeriesRegistry is IServiceCore, Roles {
    /// @dev An expiry beyond this is a unit mistake (milliseconds) that would lock collateral for good.
    uint256 private constant MAX_TENOR = 36_525 days;
    /// @dev The open interest of a series has 80 bits.
    uint8 private constant MAX_CAP_EXPONENT = 79;

    /// @inheritdoc IServiceCore
    /// @dev It shares a storage word with the registrar.
    uint8 public capExponent;

    mapping(uint256 seriesId => SeriesWord) internal _series;
    /// @dev A package has its legs in the low half of the word and their floor (micro-dollars, signed) in the high half.
    mapping(uint256 seriesId => uint256) private _packages;

    /// @inheritdoc IServiceCore
    function createSeries(
        bytes32 conditionId,
        uint256 yesClobTokenId,
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
        _create(seriesId, expiry, strikeBps, optionType, OptionMath.maxPayoff(optionType, strikeBps));
        emit SeriesCreated(seriesId, conditionId, yesClobTokenId, strikeBps, expiry, optionType);
    }

    /// @inheritdoc IServiceCore
    function createPackage(bytes32 conditionId, uint256 yesClobTokenId, uint64 expiry, uint256 legs)
        external
        returns (uint256 seriesId)
    {
        if (!PackageLegs.isNormal(legs)) revert LegsNotNormal(legs);
        for (uint256 rest = legs; rest != 0; rest >>= 32) {
            _tradable(_idOf(conditionId, yesClobTokenId, uint16(rest), expiry, uint8(rest >> 16)));
        }
        (int256 floor, int256 most) = PackageLegs.boundsOf(legs);
        if (floor == most) revert PayoffConstant(legs);
        seriesId = _idOf(conditionId, yesClobTokenId, legs, expiry, PackageLegs.PACKAGE);
        _create(seriesId, expiry, 0, PackageLegs.PACKAGE, uint256(most - floor));
        _packages[seriesId] = uint256(floor) << 128 | legs;
        emit PackageCreated(seriesId, conditionId, yesClobTokenId, legs, expiry);
    }

    /// @inheritdoc IServiceCore
    function setHalted(uint256[] calldata seriesIds, bool halted) external {
        bool isGuardian = halted && msg.sender == _guardian;
        if (msg.sender != owner && !isGuardian) revert NotInRole(halted ? Role.Guardian : Role.Owner, msg.sender);
        for (uint256 i = 0; i < seriesIds.length; ++i) {
            uint256 seriesId = seriesIds[i];
            _series[seriesId] = _known(seriesId).withHalt(halted);
            emit SeriesHaltChanged(seriesId, halted);
        }
    }

    /// @inheritdoc IServiceCore
    function haltPackage(Terms calldata terms, uint256 legIndex) external {
        uint256 seriesId = _idOf(terms);
        SeriesWord series = _known(seriesId);
        if (series.kind() != PackageLegs.PACKAGE) revert NotPackage(seriesId);
        if (series.isHalted()) revert SeriesHalted(seriesId);
        uint256 leg = terms.shape >> 32 * legIndex;
        uint256 legId = _idOf(terms.conditionId, terms.yesClobTokenId, uint16(leg), terms.expiry, uint8(leg >> 16));
        if (!_known(legId).isHalted()) revert SeriesNotHalted(legId);
        _series[seriesId] = series.withHalt(true);
        emit SeriesHaltChanged(seriesId, true);
    }

    /// @inheritdoc IServiceCore
    function setDefaultCap(uint8 exponent) external onlyOwner {
        if (exponent > MAX_CAP_EXPONENT) revert CapExponentOutOfRange(exponent);
        capExponent = exponent;
        emit DefaultCapChanged(exponent);
    }

    /// @inheritdoc IServiceCore
    function getSeries(uint256 seriesId) external view returns (Series memory) {
        return _known(seriesId).unpack();
    }

    /// @inheritdoc IServiceCore
    function legsOf(uint256 seriesId) external view returns (uint256 legs, int256 floor) {
        SeriesWord series = _known(seriesId);
        if (series.kind() == PackageLegs.PACKAGE) return _package(seriesId);
        return (1 << 24 | uint256(series.kind()) << 16 | series.strikeBps(), 0);
    }

    /// @inheritdoc IServiceCore
    function maxPayoff(uint256 seriesId) public view returns (uint256) {
        return _known(seriesId).maxPayoff();
    }

    /// @inheritdoc IServiceCore
    function payoff(uint256 seriesId) external view returns (uint256) {
        return _final(seriesId).payoff();
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

    function _idOf(Terms calldata terms) internal pure returns (uint256) {
        return _idOf(terms.conditionId, terms.yesClobTokenId, terms.shape, terms.expiry, terms.kind);
    }

    /// @dev One option pays this at `resolutionBps`, in micro-dollars. It is computed once, when the series gets its price.
    function _payoffAt(uint256 seriesId, SeriesWord series, uint256 resolutionBps) internal view returns (uint256) {
        if (series.kind() != PackageLegs.PACKAGE) {
            return OptionMath.payoff(series.kind(), series.strikeBps(), resolutionBps);
        }
        (uint256 legs, int256 floor) = _package(seriesId);
        return uint256(PackageLegs.valueAt(legs, resolutionBps) - floor);
    }

    function _known(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _series[seriesId];
        if (!series.exists()) revert SeriesUnknown(seriesId);
    }

    /// @dev Options of the series can be written, and sold by their holders.
    function _tradable(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _unsettled(seriesId);
        if (block.timestamp >= series.expiry()) revert SeriesExpired(seriesId, series.expiry());
        if (series.isHalted()) revert SeriesHalted(seriesId);
    }

    function _unsettled(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _known(seriesId);
        if (series.isSettled()) revert SeriesAlreadySettled(seriesId, series.resolutionBps());
    }

    function _settled(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _known(seriesId);
        if (!series.isSettled()) revert SeriesNotSettled(seriesId);
    }

    function _final(uint256 seriesId) internal view returns (SeriesWord series) {
        series = _settled(seriesId);
        if (!series.isFinal()) revert PriceNotFinal(seriesId, series.finalAt());
    }

    function _create(uint256 seriesId, uint64 expiry, uint16 strikeBps, uint8 kind, uint256 mostPaid) private {
        if (_series[seriesId].exists()) revert SeriesExists(seriesId);
        _series[seriesId] = SeriesWords.create(expiry, strikeBps, kind, capExponent, mostPaid);
    }

    function _package(uint256 seriesId) private view returns (uint256 legs, int256 floor) {
        uint256 word = _packages[seriesId];
        return (uint128(word), int256(word) >> 128);
    }

    function _idOf(bytes32 conditionId, uint256 yesClobTokenId, uint256 shape, uint64 expiry, uint8 kind)
        private
        pure
        returns (uint256)
    {
        return uint256(keccak256(abi.encode(conditionId, yesClobTokenId, shape, expiry, kind)));
    }
}
