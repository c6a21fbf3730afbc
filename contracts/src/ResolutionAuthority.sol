// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord} from "./FixingWord.sol";
import {IConditionalTokens} from "./IConditionalTokens.sol";
import {IServiceCore} from "./IServiceCore.sol";
import {OptionMath} from "./OptionMath.sol";
import {SeriesRegistry} from "./SeriesRegistry.sol";
import {SeriesWord} from "./SeriesWord.sol";
import {Signatures} from "./Signatures.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title ResolutionAuthority
/// @notice A fixing gets one price, for all its series. The signer attests it; it is final after the dispute window unless the
/// guardian vetoes it or the signer is revoked. If the signer attests none, the owner announces one, which the guardian can veto
/// once. If neither counts, the market's own resolution does. While there is no signer, the market comes before the owner: who
/// has stolen the owner's key can remove the signer, and shall not name the price thereby.
abstract contract ResolutionAuthority is SeriesRegistry, EIP712 {
    bytes32 private constant ATTESTATION_TYPEHASH =
        keccak256("SettlementAttestation(uint256 seriesId,uint16 resolutionBps,uint256 validUntil)");

    /// @dev `validUntil` of an attestation is at most this far ahead.
    uint64 private constant ATTESTATION_HORIZON = 1 days;
    /// @dev Only the signer can resolve in this time after expiry.
    uint64 private constant MANUAL_AFTER_EXPIRY = 3 days;
    /// @dev Without a resolution signer, the owner announces a price this long after the later of expiry and the vacancy.
    uint64 private constant MANUAL_AFTER_VACANCY = 7 days;
    /// @dev After a veto of its announcement, the owner announces the next one this long after expiry.
    uint64 private constant MANUAL_AFTER_VETO = 30 days;
    /// @dev An announced manual resolution can be executed after this notice.
    uint64 private constant MANUAL_NOTICE = 24 hours;
    /// @dev It can be executed in this time after the notice; then it must be announced again.
    uint64 private constant MANUAL_GRACE = 48 hours;
    /// @dev A fixing without a price can take its market's own resolution this long after expiry.
    uint64 private constant LAST_RESORT_AFTER_EXPIRY = 30 days;
    /// @dev Without a resolution signer it can do so this long after the later of expiry and the vacancy.
    uint64 private constant LAST_RESORT_AFTER_VACANCY = 3 days;
    /// @dev After a veto of the owner's announcement it can do so this long after expiry.
    uint64 private constant LAST_RESORT_AFTER_VETO = 7 days;

    /// @dev Prices that no signer attested.
    uint32 private constant NO_TERM = 0;
    /// @dev A longer window is a unit mistake.
    uint256 private constant MAX_DISPUTE_WINDOW = 7 days;

    /// @inheritdoc IServiceCore
    uint64 public immutable DISPUTE_WINDOW;

    /// @notice Fixes the dispute window.
    /// @param disputeWindow_ Seconds until an attested price is final, at most 7 days; 0 for at once.
    constructor(uint64 disputeWindow_) {
        if (disputeWindow_ > MAX_DISPUTE_WINDOW) revert DisputeWindowTooLong(disputeWindow_);
        DISPUTE_WINDOW = disputeWindow_;
    }

    /// @inheritdoc IServiceCore
    function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes calldata signature)
        external
    {
        (SeriesWord series, FixingWord fixing) = _unpriced(seriesId);
        if (block.timestamp > validUntil) revert AttestationExpired(validUntil, block.timestamp);
        if (validUntil > block.timestamp + ATTESTATION_HORIZON) {
            revert AttestationTooFarAhead(validUntil, block.timestamp);
        }
        if (fixing.isVetoed()) revert AttestationsVetoed(seriesId);
        bytes32 digest = hashAttestation(seriesId, resolutionBps, validUntil);
        address signer = resolutionSigner;
        (bool isSigned, address recovered) = Signatures.check(signer, digest, signature);
        if (!isSigned) revert AttestationSignerInvalid(recovered, signer);
        _setPrice(seriesId, series, fixing, resolutionBps, signerTerm, DISPUTE_WINDOW);
    }

    /// @inheritdoc IServiceCore
    function vetoSeries(uint256 seriesId) external {
        if (msg.sender != _guardian) revert NotInRole(Role.Guardian, msg.sender);
        SeriesWord series = _known(seriesId);
        FixingWord fixing = _fixing(series);
        if (!_counts(fixing)) revert SeriesNotSettled(seriesId);
        if (_isFinal(fixing)) revert PriceFinal(seriesId, fixing.finalAt());
        _setFixing(series, fixing.withVeto());
        emit PriceVoided(seriesId, fixing.resolutionBps());
    }

    /// @inheritdoc IServiceCore
    function vetoManual(uint256 seriesId) external {
        if (msg.sender != _guardian) revert NotInRole(Role.Guardian, msg.sender);
        (SeriesWord series, FixingWord fixing) = _unpriced(seriesId);
        if (fixing.manualAt() == 0) revert ManualProposalMissing(seriesId);
        if (fixing.isManualVetoed()) revert ManualVetoUsed(seriesId);
        // The owner is stopped only where the market can name a price instead.
        if (conditionalTokens == address(0)) revert LastResortMissing();
        _setFixing(series, fixing.withManualVeto());
        emit ManualResolutionVetoed(seriesId, fixing.manualBps());
    }

    /// @inheritdoc IServiceCore
    function proposeManual(uint256 seriesId, uint16 resolutionBps) external onlyOwner {
        (SeriesWord series, FixingWord fixing) = _unpriced(seriesId);
        if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);
        uint256 earliest = _manualFrom(series, fixing);
        if (block.timestamp < earliest) revert TooEarly(earliest, block.timestamp);
        uint64 executableAt = uint64(block.timestamp) + MANUAL_NOTICE;
        _setFixing(series, fixing.withManual(resolutionBps, executableAt));
        emit ManualResolutionProposed(seriesId, resolutionBps, executableAt);
    }

    /// @inheritdoc IServiceCore
    function executeManual(uint256 seriesId) external onlyOwner {
        (SeriesWord series, FixingWord fixing) = _unpriced(seriesId);
        uint256 executableAt = fixing.manualAt();
        if (executableAt == 0) revert ManualProposalMissing(seriesId);
        if (block.timestamp < executableAt) revert TooEarly(executableAt, block.timestamp);
        uint256 lapsesAt = executableAt + MANUAL_GRACE;
        if (block.timestamp > lapsesAt) revert TooLate(lapsesAt, block.timestamp);
        _setPrice(seriesId, series, fixing, fixing.manualBps(), NO_TERM, 0);
        emit ManualResolutionExecuted(seriesId, fixing.manualBps());
    }

    /// @inheritdoc IServiceCore
    function settleFromCondition(Terms calldata terms) external {
        uint256 seriesId = _idOf(terms);
        (SeriesWord series, FixingWord fixing) = _unpriced(seriesId);
        if (conditionalTokens == address(0)) revert LastResortMissing();
        uint256 earliest = _lastResortFrom(series, fixing);
        if (block.timestamp < earliest) revert TooEarly(earliest, block.timestamp);
        IConditionalTokens market = IConditionalTokens(conditionalTokens);
        uint256 denominator = market.payoutDenominator(terms.conditionId);
        if (denominator == 0) revert ConditionUnresolved(terms.conditionId);
        uint256 numerator = market.payoutNumerators(terms.conditionId, fixing.outcome());
        if (numerator > denominator) revert ConditionPayoutInvalid(numerator, denominator);
        // The price is in hundredths, rounded half up as in the relay.
        uint256 resolutionBps = (Math.mulDiv(numerator, 2 * OptionMath.RESOLUTION_ONE, denominator) + 1) / 2;
        _setPrice(seriesId, series, fixing, uint16(resolutionBps), NO_TERM, 0);
        emit ConditionResolutionExecuted(seriesId, numerator, denominator);
    }

    /// @inheritdoc IServiceCore
    function getSeries(uint256 seriesId) external view returns (Series memory) {
        SeriesWord series = _known(seriesId);
        FixingWord fixing = _fixing(series);
        bool settled = _counts(fixing);
        uint8 resolutionBps = settled ? fixing.resolutionBps() : 0;
        uint256 openInterest = series.openInterest();
        return Series({
            expiry: series.expiry(),
            strikeBps: series.strikeBps(),
            optionType: series.kind(),
            resolutionBps: resolutionBps,
            settled: settled,
            halted: series.isHalted(),
            openInterest: uint128(openInterest),
            maxPayoff: uint32(series.maxPayoff()),
            payoff: settled ? uint32(series.payoffAt(resolutionBps)) : 0,
            finalAt: settled ? fixing.finalAt() : 0,
            vetoed: fixing.isVetoed(),
            openInterestCap: uint128(openInterest + _headroom(series)),
            tradingEndsAt: uint64(_tradingEndsAt(series)),
            fixing: uint32(series.fixing())
        });
    }

    /// @inheritdoc IServiceCore
    function payoff(uint256 seriesId) external view returns (uint256) {
        SeriesWord series = _known(seriesId);
        FixingWord fixing = _fixing(series);
        _checkFinal(seriesId, fixing);
        return series.payoffAt(fixing.resolutionBps());
    }

    /// @inheritdoc IServiceCore
    function manualProposalOf(uint256 seriesId) external view returns (ManualProposal memory) {
        SeriesWord series = _known(seriesId);
        FixingWord fixing = _fixing(series);
        return ManualProposal({
            executableAt: fixing.manualAt(),
            resolutionBps: fixing.manualBps(),
            vetoed: fixing.isManualVetoed(),
            proposableAt: uint64(_manualFrom(series, fixing))
        });
    }

    /// @inheritdoc IServiceCore
    function lastResortAt(uint256 seriesId) external view returns (uint256) {
        SeriesWord series = _known(seriesId);
        return _lastResortFrom(series, _fixing(series));
    }

    /// @inheritdoc IServiceCore
    function hashAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        public
        view
        returns (bytes32 digest)
    {
        return _hashTypedDataV4(keccak256(abi.encode(ATTESTATION_TYPEHASH, seriesId, resolutionBps, validUntil)));
    }

    /// @dev Returns a series with the final price of its fixing. The first claim of a fixing notes that the price is final, so
    /// that later ones read one word; nothing but a revocation in time could have voided it.
    function _finalPrice(uint256 seriesId) internal returns (SeriesWord series, uint256 resolutionBps) {
        series = _series[seriesId];
        FixingWord fixing = _fixing(series);
        if (!fixing.isFinal()) {
            _known(seriesId);
            _checkFinal(seriesId, fixing);
            _setFixing(series, fixing.withFinal());
        }
        resolutionBps = fixing.resolutionBps();
    }

    /// @dev A fixing gets a price here and nowhere else.
    /// @param term Term of the signer that attested it, or NO_TERM.
    /// @param window Seconds until it is final.
    function _setPrice(
        uint256 seriesId,
        SeriesWord series,
        FixingWord fixing,
        uint16 resolutionBps,
        uint32 term,
        uint64 window
    ) private {
        if (block.timestamp < series.expiry()) revert SeriesNotExpired(seriesId, series.expiry());
        if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);
        uint64 finalAt = uint64(block.timestamp) + window;
        _setFixing(series, fixing.withPrice(resolutionBps, finalAt, term, window == 0));
        emit SeriesSettled(seriesId, resolutionBps, finalAt);
    }

    function _unpriced(uint256 seriesId) private view returns (SeriesWord series, FixingWord fixing) {
        series = _known(seriesId);
        fixing = _fixing(series);
        if (_counts(fixing)) revert SeriesAlreadySettled(seriesId, fixing.resolutionBps());
    }

    function _checkFinal(uint256 seriesId, FixingWord fixing) private view {
        if (!_counts(fixing)) revert SeriesNotSettled(seriesId);
        if (!_isFinal(fixing)) revert PriceNotFinal(seriesId, fixing.finalAt());
    }

    /// @return Whether there is a price that was not void by a revocation of its signer before it was final.
    function _counts(FixingWord fixing) private view returns (bool) {
        if (!fixing.hasPrice()) return false;
        if (fixing.isFinal()) return true;
        uint256 revokedAt = termRevokedAt[fixing.signerTerm()];
        return revokedAt == 0 || revokedAt >= fixing.finalAt();
    }

    /// @dev The caller has checked that the price counts.
    function _isFinal(FixingWord fixing) private view returns (bool) {
        return block.timestamp >= fixing.finalAt();
    }

    /// @return earliest Unix seconds from which the owner may announce a price.
    function _manualFrom(SeriesWord series, FixingWord fixing) private view returns (uint256 earliest) {
        uint256 expiry = series.expiry();
        uint256 vacantSince = signerVacantSince;
        if (fixing.isManualVetoed()) return expiry + MANUAL_AFTER_VETO;
        if (vacantSince == 0) return expiry + MANUAL_AFTER_EXPIRY;
        return Math.max(expiry, vacantSince) + MANUAL_AFTER_VACANCY;
    }

    /// @return earliest Unix seconds from which anyone may take the market's own resolution.
    function _lastResortFrom(SeriesWord series, FixingWord fixing) private view returns (uint256 earliest) {
        uint256 expiry = series.expiry();
        uint256 vacantSince = signerVacantSince;
        earliest = expiry + (fixing.isManualVetoed() ? LAST_RESORT_AFTER_VETO : LAST_RESORT_AFTER_EXPIRY);
        if (vacantSince != 0) {
            earliest = Math.min(earliest, Math.max(expiry, vacantSince) + LAST_RESORT_AFTER_VACANCY);
        }
    }
}
