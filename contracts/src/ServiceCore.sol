// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {ResolutionAuthority} from "./ResolutionAuthority.sol";
import {Roles} from "./Roles.sol";
import {SeriesRegistry} from "./SeriesRegistry.sol";
import {SeriesWord, SeriesWords} from "./SeriesWord.sol";
import {Signatures} from "./Signatures.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title ServiceCore
/// @notice The core holds the collateral, issues the options and redeems them.
///
/// It is deployed after the stablecoin, with the address that the settlement contract WILL have (the deployer's next CREATE
/// address). The settlement contract follows; its constructor checks that the two name each other. Both addresses are
/// immutable, and neither contract is upgradeable.
///
/// Every function keeps this equality:
/// balance == sum over series without a final price of openInterest x maxPayoff
///          + sum over the others of longs x payoff + shorts x (maxPayoff - payoff)
/// (a stablecoin transfer to this address by a stranger adds to the left side and belongs to no one).
///
/// The contract assumes of the stablecoin, and the trust page states, since no check here can show it: a transfer moves
/// exactly its amount, takes no fee and calls no other contract; balances change by transfers only. An issuer's freeze or
/// pause stops the payouts of the accounts that it names while it lasts.
contract ServiceCore is ResolutionAuthority, ERC1155, Nonces, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    bytes32 private constant SHORT_TRANSFER_TYPEHASH = keccak256(
        "ShortTransfer(address from,address to,uint256 seriesId,uint256 amount,uint256 nonce,uint256 deadline)"
    );

    IERC20 private immutable _stablecoin;

    /// @inheritdoc IServiceCore
    address public immutable settlement;

    mapping(uint256 seriesId => mapping(address writer => uint256)) private _shorts;

    /// @notice Fixes the stablecoin and the settlement contract, and appoints the first holders of the roles.
    /// @param setup What the core is created with.
    constructor(Setup memory setup)
        Roles(setup.owner, setup.guardian, setup.resolutionSigner, setup.registrar, setup.halter)
        SeriesRegistry(setup.tradingCutoff, setup.conditionalTokens)
        ResolutionAuthority(setup.disputeWindow)
        ERC1155(setup.uri)
        EIP712("ServiceCore", "1")
    {
        if (setup.settlement == address(0)) revert AddressZero();
        uint8 decimals = IERC20Metadata(setup.stablecoin).decimals();
        if (decimals != 6) revert StablecoinDecimalsInvalid(setup.stablecoin, decimals);
        _stablecoin = IERC20(setup.stablecoin);
        settlement = setup.settlement;
    }

    /// @inheritdoc IServiceCore
    function openPositionPaidBy(address payer, address writer, address holder, uint256 seriesId, uint256 amount)
        external
        nonReentrant
        returns (uint256 collateral)
    {
        if (msg.sender != settlement) revert NotSettlement(msg.sender);
        if (amount == 0) revert AmountZero();
        SeriesWord series = _tradable(seriesId);
        uint256 openInterest = series.openInterest();
        // Nothing below overflows: amounts of one series sum to less than 2^68, and an option pays less than 2^27.
        unchecked {
            if (amount > SeriesWords.MAX_OPEN_INTEREST - openInterest) {
                revert AmountTooLarge(seriesId, openInterest, amount);
            }
            collateral = amount * series.maxPayoff();
            if (series.isCapped()) _addExposure(seriesId, series, collateral);
            _series[seriesId] = series.withMore(amount);
            _shorts[seriesId][writer] += amount;
        }
        emit OptionsWritten(seriesId, writer, holder, amount, collateral);
        _stablecoin.safeTransferFrom(payer, address(this), collateral);
        _mint(holder, seriesId, amount, "");
    }

    /// @inheritdoc IServiceCore
    function sellLongs(address seller, address buyer, uint256 seriesId, uint256 amount)
        external
        nonReentrant
        returns (uint256 collateral)
    {
        if (msg.sender != settlement) revert NotSettlement(msg.sender);
        SeriesWord series = _tradable(seriesId);
        // The caller is the settlement contract, so that this checks the seller's approval of it.
        safeTransferFrom(seller, buyer, seriesId, amount, "");
        unchecked {
            collateral = amount * series.maxPayoff();
        }
    }

    /// @inheritdoc IServiceCore
    function closePosition(uint256 seriesId, uint256 amount, address to) external returns (uint256 collateral) {
        return _close(msg.sender, seriesId, amount, to);
    }

    /// @inheritdoc IServiceCore
    function closeFor(uint256 seriesId, address account, uint256 amount) external returns (uint256 collateral) {
        if (msg.sender != settlement) revert NotSettlement(msg.sender);
        return _close(account, seriesId, amount, account);
    }

    /// @inheritdoc IServiceCore
    function moveShort(address to, uint256 seriesId, uint256 amount, uint256 deadline, bytes calldata signature)
        external
        nonReentrant
    {
        if (amount == 0) revert AmountZero();
        if (block.timestamp > deadline) revert AcceptanceExpired(deadline, block.timestamp);
        bytes32 digest = hashShortTransfer(msg.sender, to, seriesId, amount, _useNonce(to), deadline);
        (bool isSigned,) = Signatures.check(to, digest, signature);
        if (!isSigned) revert AcceptanceInvalid(to, digest);
        _reduceShort(seriesId, msg.sender, amount);
        unchecked {
            _shorts[seriesId][to] += amount;
        }
        emit ShortMoved(seriesId, msg.sender, to, amount);
    }

    /// @inheritdoc IServiceCore
    function useNonce() external returns (uint256 nonce) {
        return _useNonce(msg.sender);
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
        (SeriesWord series, uint256 resolutionBps) = _finalPrice(seriesId);
        payout = _redeemLongs(series.payoffAt(resolutionBps), seriesId, msg.sender, amount, to);
        _pay(to, payout);
    }

    /// @inheritdoc IServiceCore
    function claimWriterCollateral(uint256 seriesId) external returns (uint256 collateral) {
        return claimWriterCollateralTo(seriesId, msg.sender);
    }

    /// @inheritdoc IServiceCore
    function claimWriterCollateralTo(uint256 seriesId, address to) public nonReentrant returns (uint256 collateral) {
        (SeriesWord series, uint256 resolutionBps) = _finalPrice(seriesId);
        uint256 short = _shorts[seriesId][msg.sender];
        if (short == 0) revert NothingWritten(seriesId, msg.sender);
        collateral = _redeemShort(series.maxPayoff() - series.payoffAt(resolutionBps), seriesId, msg.sender, short, to);
        _pay(to, collateral);
    }

    /// @inheritdoc IServiceCore
    function claimMany(uint256[] calldata seriesIds, address to) external nonReentrant returns (uint256 paid) {
        for (uint256 i = 0; i < seriesIds.length; ++i) {
            paid += _redeemAll(seriesIds[i], msg.sender, to);
        }
        _pay(to, paid);
    }

    /// @inheritdoc IServiceCore
    function claimAllFor(address account, uint256 seriesId) external nonReentrant returns (uint256 paid) {
        paid = _redeemAll(seriesId, account, account);
        _pay(account, paid);
    }

    /// @inheritdoc IServiceCore
    function stablecoin() external view returns (address) {
        return address(_stablecoin);
    }

    /// @inheritdoc IServiceCore
    function shortOf(uint256 seriesId, address writer) external view returns (uint256) {
        return _shorts[seriesId][writer];
    }

    /// @inheritdoc IServiceCore
    function hashShortTransfer(
        address from,
        address to,
        uint256 seriesId,
        uint256 amount,
        uint256 nonce,
        uint256 deadline
    ) public view returns (bytes32 digest) {
        return _hashTypedDataV4(
            keccak256(abi.encode(SHORT_TRANSFER_TYPEHASH, from, to, seriesId, amount, nonce, deadline))
        );
    }

    /// @notice Tells which interfaces this contract has (ERC-165): the core's own, ERC-1155 with its metadata, and ERC-165.
    /// @param interfaceId Id of the interface.
    /// @return Whether it has it.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IServiceCore).interfaceId || super.supportsInterface(interfaceId);
    }

    function _close(address account, uint256 seriesId, uint256 amount, address to)
        private
        nonReentrant
        returns (uint256 collateral)
    {
        if (amount == 0) revert AmountZero();
        SeriesWord series = _known(seriesId);
        _reduceShort(seriesId, account, amount);
        unchecked {
            collateral = amount * series.maxPayoff();
        }
        _series[seriesId] = series.withLess(amount);
        if (series.isCapped()) _reduceExposure(series, collateral);
        _burn(account, seriesId, amount);
        emit PositionClosed(seriesId, account, to, amount, collateral);
        _pay(to, collateral);
    }

    function _reduceShort(uint256 seriesId, address account, uint256 amount) private {
        // The subtraction comes before the check, so that the storage slot is computed once: a short that is too small wraps
        // around here and back there, and the revert undoes it.
        unchecked {
            uint256 short = (_shorts[seriesId][account] -= amount) + amount;
            if (short < amount) revert ShortInsufficient(seriesId, account, short, amount);
        }
    }

    function _redeemAll(uint256 seriesId, address account, address to) private returns (uint256 paid) {
        (SeriesWord series, uint256 resolutionBps) = _finalPrice(seriesId);
        uint256 each = series.payoffAt(resolutionBps);
        uint256 longs = balanceOf(account, seriesId);
        uint256 short = _shorts[seriesId][account];
        if (longs != 0) paid = _redeemLongs(each, seriesId, account, longs, to);
        if (short != 0) paid += _redeemShort(series.maxPayoff() - each, seriesId, account, short, to);
    }

    /// @param each Micro-dollars that one option pays its holder.
    function _redeemLongs(uint256 each, uint256 seriesId, address account, uint256 amount, address to)
        private
        returns (uint256 payout)
    {
        _burn(account, seriesId, amount);
        unchecked {
            payout = amount * each;
        }
        emit HolderPayoutClaimed(seriesId, account, to, amount, payout);
    }

    /// @param each Micro-dollars that one option leaves its writer.
    function _redeemShort(uint256 each, uint256 seriesId, address account, uint256 short, address to)
        private
        returns (uint256 collateral)
    {
        delete _shorts[seriesId][account];
        unchecked {
            collateral = short * each;
        }
        emit WriterCollateralClaimed(seriesId, account, to, short, collateral);
    }

    /// @dev The core does not transfer zero: some tokens refuse it, and a worthless option must still burn.
    function _pay(address to, uint256 amount) private {
        if (to == address(0) || to == address(this) || to == settlement) revert RecipientInvalid(to);
        if (amount != 0) _stablecoin.safeTransfer(to, amount);
    }
}
