// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "./IConditionalTokens.sol";
import {IServiceCore} from "./IServiceCore.sol";
import {OptionMath} from "./OptionMath.sol";
import {SeriesRegistry} from "./SeriesRegistry.sol";
import {SeriesWord} from "./SeriesWord.sol";
import {Signatures} from "./Signatures.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title ResolutionAuthority
/// @notice The signer attests a price, which is final after the dispute window unless it is vetoed or contradicted. If the signer
/// attests none, the owner announces one; if neither does, the market's own resolution counts.
abstract contract ResolutionAuthority is SeriesRegistry, EIP712 {
    bytes32 private constant ATTESTATION_TYPEHASH =
        keccak256("SettlementAttestation(uint256 seriesId,uint16 resolutionBps,uint256 validUntil)");

    /// @notice `validUntil` of an attestation is at most this far ahead.
    uint64 private constant ATTESTATION_HORIZON = 1 days;
    /// @notice Only the signer can resolve in this time after expiry.
    uint64 public constant MANUAL_AFTER_EXPIRY = 3 days;
    /// @notice An announced manual resolution can be executed after this notice.
    uint64 public constant MANUAL_NOTICE = 24 hours;
    /// @notice It can be executed in this time after the notice; then it must be announced again.
    uint64 public constant MANUAL_GRACE = 48 hours;
    /// @notice An unsettled series can take its market's own resolution this long after expiry.
    uint64 public constant LAST_RESORT_AFTER_EXPIRY = 30 days;
    /// @notice Without a resolution signer it can do so this long after the later of expiry and the vacancy.
    uint64 public constant LAST_RESORT_AFTER_VACANCY = 7 days;

    /// @dev A longer window is a unit mistake.
    uint256 private constant MAX_DISPUTE_WINDOW = 7 days;

    /// @inheritdoc IServiceCore
    uint64 public immutable DISPUTE_WINDOW;
    /// @inheritdoc IServiceCore
    address public immutable conditionalTokens;

    mapping(uint256 seriesId => ManualProposal) private _manualProposals;

    constructor(uint64 disputeWindow_, address conditionalTokens_) {
        if (disputeWindow_ > MAX_DISPUTE_WINDOW) revert DisputeWindowTooLong(disputeWindow_);
        DISPUTE_WINDOW = disputeWindow_;
        conditionalTokens = conditionalTokens_;
    }

    /// @inheritdoc IServiceCore
    function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes calldata signature)
        external
    {
        _settleAttested(_unsettled(seriesId), seriesId, resolutionBps, validUntil, signature);
    }

    /// @inheritdoc IServiceCore
    function settleMany(Attestation[] calldata attestations, bytes[] calldata signatures) external {
        if (attestations.length != signatures.length) revert LengthMismatch(attestations.length, signatures.length);
        for (uint256 i = 0; i < attestations.length; ++i) {
            Attestation calldata each = attestations[i];
            SeriesWord series = _known(each.seriesId);
            if (series.isSettled()) continue;
            _settleAttested(series, each.seriesId, each.resolutionBps, each.validUntil, signatures[i]);
        }
    }

    /// @inheritdoc IServiceCore
    function vetoSeries(uint256 seriesId) external {
        if (msg.sender != _guardian) revert NotInRole(Role.Guardian, msg.sender);
        SeriesWord series = _settled(seriesId);
        if (series.isFinal()) revert PriceFinal(seriesId, series.finalAt());
        _void(seriesId, series);
    }

    /// @inheritdoc IServiceCore
    function contradict(Terms calldata a, Terms calldata b) external {
        (uint256 idA, uint256 idB) = (_idOf(a), _idOf(b));
        if (a.conditionId != b.conditionId || a.yesClobTokenId != b.yesClobTokenId || a.expiry != b.expiry) {
            revert MarketsDiffer(idA, idB);
        }
        (SeriesWord seriesA, SeriesWord seriesB) = (_settled(idA), _settled(idB));
        if (seriesA.resolutionBps() == seriesB.resolutionBps()) revert PricesAgree(idA, idB, seriesA.resolutionBps());
        (bool isFinalA, bool isFinalB) = (seriesA.isFinal(), seriesB.isFinal());
        if (isFinalA && isFinalB) revert PriceFinal(idA, seriesA.finalAt());
        emit PricesContradicted(idA, idB);
        if (!isFinalA) _void(idA, seriesA);
        if (!isFinalB) _void(idB, seriesB);
    }

    /// @inheritdoc IServiceCore
    function proposeManual(uint256 seriesId, uint16 resolutionBps) external onlyOwner {
        SeriesWord series = _unsettled(seriesId);
        if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);
        uint256 earliest = uint256(series.expiry()) + MANUAL_AFTER_EXPIRY;
        if (block.timestamp < earliest) revert TooEarly(earliest, block.timestamp);
        uint64 executableAt = uint64(block.timestamp) + MANUAL_NOTICE;
        _manualProposals[seriesId] = ManualProposal(executableAt, resolutionBps);
        emit ManualResolutionProposed(seriesId, resolutionBps, executableAt);
    }

    /// @inheritdoc IServiceCore
    function executeManual(uint256 seriesId) external onlyOwner {
        ManualProposal memory proposal = _manualProposals[seriesId];
        if (proposal.executableAt == 0) revert ManualProposalMissing(seriesId);
        if (block.timestamp < proposal.executableAt) revert TooEarly(proposal.executableAt, block.timestamp);
        uint256 lapsesAt = proposal.executableAt + MANUAL_GRACE;
        if (block.timestamp > lapsesAt) revert TooLate(lapsesAt, block.timestamp);
        _settle(seriesId, _unsettled(seriesId), proposal.resolutionBps, block.timestamp);
        emit ManualResolutionExecuted(seriesId, proposal.resolutionBps);
    }

    /// @inheritdoc IServiceCore
    function settleFromCondition(Terms calldata terms, address conditionCollateral) external {
        uint256 seriesId = _idOf(terms);
        SeriesWord series = _unsettled(seriesId);
        if (conditionalTokens == address(0)) revert LastResortMissing();
        uint256 earliest = _lastResortAt(series);
        if (block.timestamp < earliest) revert TooEarly(earliest, block.timestamp);
        IConditionalTokens market = IConditionalTokens(conditionalTokens);
        uint256 denominator = market.payoutDenominator(terms.conditionId);
        if (denominator == 0) revert ConditionUnresolved(terms.conditionId);
        uint256 numerator = market.payoutNumerators(terms.conditionId, _yesOutcome(market, terms, conditionCollateral));
        if (numerator > denominator) revert ConditionPayoutInvalid(numerator, denominator);
        // The price is in hundredths, rounded half up as in the relay.
        uint256 resolutionBps = (Math.mulDiv(numerator, 2 * OptionMath.RESOLUTION_ONE, denominator) + 1) / 2;
        _settle(seriesId, series, uint16(resolutionBps), block.timestamp);
        emit ConditionResolutionExecuted(seriesId, numerator, denominator);
    }

    /// @inheritdoc IServiceCore
    function manualProposalOf(uint256 seriesId) external view returns (ManualProposal memory) {
        return _manualProposals[seriesId];
    }

    /// @inheritdoc IServiceCore
    function lastResortAt(uint256 seriesId) external view returns (uint256) {
        return _lastResortAt(_known(seriesId));
    }

    /// @inheritdoc IServiceCore
    function hashAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        public
        view
        returns (bytes32 digest)
    {
        return _hashTypedDataV4(keccak256(abi.encode(ATTESTATION_TYPEHASH, seriesId, resolutionBps, validUntil)));
    }

    function _settleAttested(
        SeriesWord series,
        uint256 seriesId,
        uint16 resolutionBps,
        uint256 validUntil,
        bytes calldata signature
    ) private {
        if (block.timestamp > validUntil) revert AttestationExpired(validUntil, block.timestamp);
        if (validUntil > block.timestamp + ATTESTATION_HORIZON) {
            revert AttestationTooFarAhead(validUntil, block.timestamp);
        }
        if (series.isVetoed()) revert AttestationsVetoed(seriesId);
        bytes32 digest = hashAttestation(seriesId, resolutionBps, validUntil);
        address signer = resolutionSigner;
        (bool isSigned, address recovered) = Signatures.check(signer, digest, signature);
        if (!isSigned) revert AttestationSignerInvalid(recovered, signer);
        _settle(seriesId, series, resolutionBps, block.timestamp + DISPUTE_WINDOW);
    }

    /// @dev A series gets a price here and nowhere else.
    function _settle(uint256 seriesId, SeriesWord series, uint16 resolutionBps, uint256 finalAt) private {
        if (block.timestamp < series.expiry()) revert SeriesNotExpired(seriesId, series.expiry());
        if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);
        _series[seriesId] = series.withPrice(resolutionBps, finalAt, _payoffAt(seriesId, series, resolutionBps));
        emit SeriesSettled(seriesId, resolutionBps, uint64(finalAt));
    }

    function _void(uint256 seriesId, SeriesWord series) private {
        _series[seriesId] = series.vetoed();
        emit PriceVoided(seriesId, series.resolutionBps());
    }

    function _lastResortAt(SeriesWord series) private view returns (uint256 earliest) {
        uint256 expiry = series.expiry();
        uint256 vacantSince = signerVacantSince;
        earliest = expiry + LAST_RESORT_AFTER_EXPIRY;
        if (vacantSince != 0) {
            earliest = Math.min(earliest, Math.max(expiry, vacantSince) + LAST_RESORT_AFTER_VACANCY);
        }
    }

    /// @dev Returns the outcome of the condition whose token the series names. The token id is a hash of the collateral and the
    /// outcome, so that no other `conditionCollateral` can match.
    function _yesOutcome(IConditionalTokens market, Terms calldata terms, address conditionCollateral)
        private
        view
        returns (uint256)
    {
        for (uint256 outcome = 0; outcome < 2; ++outcome) {
            bytes32 collectionId = market.getCollectionId(bytes32(0), terms.conditionId, 1 << outcome);
            if (market.getPositionId(conditionCollateral, collectionId) == terms.yesClobTokenId) return outcome;
        }
        revert ConditionMismatch(terms.conditionId, terms.yesClobTokenId, conditionCollateral);
    }
}
