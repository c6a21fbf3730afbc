// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {OptionMath} from "./OptionMath.sol";
import {ResolutionAuthority} from "./ResolutionAuthority.sol";
import {SeriesWord, SeriesWords} from "./SeriesWord.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title ServiceCore: holds the collateral, issues and redeems the options
/// @notice Deploy order: the stablecoin; this contract with the address that the settlement contract WILL have (the
/// deployer's next CREATE address); then the settlement contract, whose constructor checks that the two point at each
/// other. Both addresses are immutable, nothing is upgradeable.
///
/// Solvency is an equality, kept by every function:
/// balance == sum over unsettled series of openInterest x maxPayoff
///          + sum over settled series of longs x payoff + shorts x (maxPayoff - payoff)
/// (a stablecoin transfer to this address by a stranger adds to the left and belongs to nobody).
///
/// Assumed of the stablecoin, and stated on the trust page because nothing here can check it: a transfer moves exactly
/// its amount, takes no fee and calls nobody; balances change by transfers only. An issuer's freeze or pause stops the
/// payouts of those it names for as long as it lasts.
contract ServiceCore is ResolutionAuthority, ERC1155, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    bytes32 private constant ATTESTATION_TYPEHASH =
        keccak256("SettlementAttestation(uint256 seriesId,uint16 resolutionBps,uint256 validUntil)");

    /// @notice Time after expiry in which only the signer can resolve.
    uint64 public constant MANUAL_AFTER_EXPIRY = 3 days;
    /// @notice Notice given before an announced manual resolution counts.
    uint64 public constant MANUAL_NOTICE = 24 hours;
    /// @dev An expiry beyond this is a unit mistake (milliseconds) that would lock collateral for good.
    uint256 private constant MAX_TENOR = 36_525 days;

    IERC20 private immutable _stablecoin;

    /// @inheritdoc IServiceCore
    address public immutable settlement;

    mapping(uint256 seriesId => SeriesWord) private _series;
    mapping(uint256 seriesId => mapping(address writer => uint256)) private _shorts;
    mapping(uint256 seriesId => ManualProposal) private _manualProposals;

    /// @param stablecoin_ ERC-20 with 6 decimals.
    /// @param settlement_ Predicted address of the settlement contract.
    /// @param resolutionSigner_ First resolution signer, in office at once.
    /// @param owner_ Registers and halts series, announces signers and manual resolutions.
    /// @param uri_ ERC-1155 metadata address with the `{id}` placeholder; cannot be changed later.
    constructor(
        IERC20Metadata stablecoin_,
        address settlement_,
        address resolutionSigner_,
        address owner_,
        string memory uri_
    ) ResolutionAuthority(owner_, resolutionSigner_) ERC1155(uri_) EIP712("ServiceCore", "1") {
        if (settlement_ == address(0)) revert AddressZero();
        uint8 decimals = stablecoin_.decimals();
        if (decimals != 6) revert StablecoinDecimalsInvalid(address(stablecoin_), decimals);
        _stablecoin = stablecoin_;
        settlement = settlement_;
    }

    /// @inheritdoc IServiceCore
    function createSeries(
        bytes32 conditionId,
        uint256 yesClobTokenId,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    ) external onlyOwner returns (uint256 seriesId) {
        if (strikeBps == 0 || strikeBps >= OptionMath.STRIKE_ONE) revert StrikeOutOfRange(strikeBps);
        if (expiry <= block.timestamp || expiry > block.timestamp + MAX_TENOR) {
            revert ExpiryOutOfRange(expiry, block.timestamp);
        }
        if (optionType > OptionMath.PUT) revert OptionTypeInvalid(optionType);
        seriesId = seriesIdOf(conditionId, yesClobTokenId, strikeBps, expiry, optionType);
        if (_series[seriesId].exists()) revert SeriesExists(seriesId);

        _series[seriesId] = SeriesWords.create(expiry, strikeBps, optionType);
        emit SeriesCreated(seriesId, conditionId, yesClobTokenId, strikeBps, expiry, optionType);
    }

    /// @inheritdoc IServiceCore
    function setHalted(uint256[] calldata seriesIds, bool halted) external onlyOwner {
        for (uint256 i = 0; i < seriesIds.length; ++i) {
            uint256 seriesId = seriesIds[i];
            _series[seriesId] = _known(seriesId).withHalt(halted);
            emit SeriesHaltChanged(seriesId, halted);
        }
    }

    /// @inheritdoc IServiceCore
    function writeOptions(uint256 seriesId, address writer, address holder, uint256 amount)
        external
        nonReentrant
        returns (uint256 collateral)
    {
        if (msg.sender != settlement) revert NotSettlement(msg.sender);
        if (amount == 0) revert AmountZero();
        SeriesWord series = _unsettled(seriesId);
        if (block.timestamp >= series.expiry()) revert SeriesExpired(seriesId, series.expiry());
        if (series.isHalted()) revert SeriesHalted(seriesId);
        uint256 openInterest = series.openInterest();
        // Nothing below overflows: amounts of one series sum to less than 2^128, and an option pays less than 2^20.
        unchecked {
            if (amount > type(uint128).max - openInterest) revert OpenInterestOverflow(seriesId, openInterest, amount);
            collateral = amount * series.maxPayoff();
            _series[seriesId] = series.withMore(amount);
            _shorts[seriesId][writer] += amount;
        }
        emit OptionsWritten(seriesId, writer, holder, amount, collateral);
        _stablecoin.safeTransferFrom(writer, address(this), collateral);
        _mint(holder, seriesId, amount, "");
    }

    /// @inheritdoc IServiceCore
    function closePosition(uint256 seriesId, uint256 amount, address to)
        external
        nonReentrant
        returns (uint256 collateral)
    {
        if (amount == 0) revert AmountZero();
        SeriesWord series = _known(seriesId);
        mapping(address => uint256) storage shorts = _shorts[seriesId];
        uint256 short = shorts[msg.sender];
        if (short < amount) revert ShortInsufficient(seriesId, msg.sender, short, amount);
        unchecked {
            collateral = amount * series.maxPayoff();
            shorts[msg.sender] = short - amount;
        }
        if (!series.isSettled()) _series[seriesId] = series.withLess(amount);
        _burn(msg.sender, seriesId, amount);
        emit PositionClosed(seriesId, msg.sender, to, amount, collateral);
        _pay(to, collateral);
    }

    /// @inheritdoc IServiceCore
    function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes calldata signature)
        external
    {
        if (block.timestamp > validUntil) revert AttestationExpired(validUntil, block.timestamp);
        bytes32 digest = hashAttestation(seriesId, resolutionBps, validUntil);
        (address recovered, ECDSA.RecoverError err,) = ECDSA.tryRecoverCalldata(digest, signature);
        // A malformed signature recovers to zero, which is also the signer after a revocation.
        if (err != ECDSA.RecoverError.NoError || recovered != resolutionSigner) {
            revert AttestationSignerInvalid(recovered, resolutionSigner);
        }
        _settle(seriesId, resolutionBps);
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
        _settle(seriesId, proposal.resolutionBps);
        emit ManualResolutionExecuted(seriesId, proposal.resolutionBps);
    }

    /// @inheritdoc IServiceCore
    function claimHolderPayout(uint256 seriesId, uint256 amount) external returns (uint256 payout) {
        return claimHolderPayoutTo(seriesId, amount, msg.sender);
    }

    /// @inheritdoc IServiceCore
    function claimHolderPayoutTo(uint256 seriesId, uint256 amount, address to)
        public
        nonReentrant
        returns (uint256 payout)
    {
        if (amount == 0) revert AmountZero();
        SeriesWord series = _settled(seriesId);
        _burn(msg.sender, seriesId, amount);
        unchecked {
            payout = amount * series.payoff();
        }
        emit HolderPayoutClaimed(seriesId, msg.sender, to, amount, payout);
        _pay(to, payout);
    }

    /// @inheritdoc IServiceCore
    function claimWriterCollateral(uint256 seriesId) external returns (uint256 collateral) {
        return claimWriterCollateralTo(seriesId, msg.sender);
    }

    /// @inheritdoc IServiceCore
    function claimWriterCollateralTo(uint256 seriesId, address to) public nonReentrant returns (uint256 collateral) {
        SeriesWord series = _settled(seriesId);
        uint256 short = _shorts[seriesId][msg.sender];
        if (short == 0) revert NothingWritten(seriesId, msg.sender);
        delete _shorts[seriesId][msg.sender];
        unchecked {
            collateral = short * (series.maxPayoff() - series.payoff());
        }
        emit WriterCollateralClaimed(seriesId, msg.sender, to, short, collateral);
        _pay(to, collateral);
    }

    /// @inheritdoc IServiceCore
    function stablecoin() external view returns (address) {
        return address(_stablecoin);
    }

    /// @inheritdoc IServiceCore
    function getSeries(uint256 seriesId) external view returns (Series memory) {
        return _known(seriesId).unpack();
    }

    /// @inheritdoc IServiceCore
    function maxPayoff(uint256 seriesId) public view returns (uint256) {
        return _known(seriesId).maxPayoff();
    }

    /// @inheritdoc IServiceCore
    function payoff(uint256 seriesId) external view returns (uint256) {
        return _settled(seriesId).payoff();
    }

    /// @inheritdoc IServiceCore
    function requiredCollateral(uint256 seriesId, uint256 amount) external view returns (uint256) {
        return amount * maxPayoff(seriesId);
    }

    /// @inheritdoc IServiceCore
    function shortOf(uint256 seriesId, address writer) external view returns (uint256) {
        return _shorts[seriesId][writer];
    }

    /// @inheritdoc IServiceCore
    function manualProposalOf(uint256 seriesId) external view returns (ManualProposal memory) {
        return _manualProposals[seriesId];
    }

    /// @inheritdoc IServiceCore
    function seriesIdOf(bytes32 conditionId, uint256 yesClobTokenId, uint16 strikeBps, uint64 expiry, uint8 optionType)
        public
        pure
        returns (uint256 seriesId)
    {
        return uint256(keccak256(abi.encode(conditionId, yesClobTokenId, strikeBps, expiry, optionType)));
    }

    /// @inheritdoc IServiceCore
    function hashAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        public
        view
        returns (bytes32 digest)
    {
        return _hashTypedDataV4(keccak256(abi.encode(ATTESTATION_TYPEHASH, seriesId, resolutionBps, validUntil)));
    }

    /// @inheritdoc ERC1155
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IServiceCore).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @dev The one place where a price becomes final.
    function _settle(uint256 seriesId, uint16 resolutionBps) private {
        SeriesWord series = _unsettled(seriesId);
        if (block.timestamp < series.expiry()) revert SeriesNotExpired(seriesId, series.expiry());
        if (resolutionBps > OptionMath.RESOLUTION_ONE) revert ResolutionOutOfRange(resolutionBps);
        _series[seriesId] = series.withResolution(resolutionBps);
        emit SeriesSettled(seriesId, resolutionBps);
    }

    function _known(uint256 seriesId) private view returns (SeriesWord series) {
        series = _series[seriesId];
        if (!series.exists()) revert SeriesUnknown(seriesId);
    }

    function _settled(uint256 seriesId) private view returns (SeriesWord series) {
        series = _known(seriesId);
        if (!series.isSettled()) revert SeriesNotSettled(seriesId);
    }

    function _unsettled(uint256 seriesId) private view returns (SeriesWord series) {
        series = _known(seriesId);
        if (series.isSettled()) revert SeriesAlreadySettled(seriesId, series.resolutionBps());
    }

    /// @dev Zero is not transferred: some tokens refuse it, and a worthless option must still burn.
    function _pay(address to, uint256 amount) private {
        if (to == address(0) || to == address(this)) revert RecipientInvalid(to);
        if (amount != 0) _stablecoin.safeTransfer(to, amount);
    }
}
