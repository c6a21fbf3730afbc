// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {IServiceRFQSettlement} from "./IServiceRFQSettlement.sol";
import {MakerNonces} from "./MakerNonces.sol";
import {OptionMath} from "./OptionMath.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title ServiceRFQSettlement: fills makers' signed orders
/// @notice Deployed last, at the address the core was told; see ServiceCore for the order. It has no owner, no pause and
/// no balance; it moves a wallet's stablecoin only as that wallet signed (maker) or sent (taker).
contract ServiceRFQSettlement is MakerNonces, EIP712 {
    using SafeERC20 for IERC20;

    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "Order(address maker,uint256 seriesId,uint256 optionAmount,uint256 premiumAmount,bool makerSelling,address taker,uint256 validUntil,uint256 nonce)"
    );

    IServiceCore private immutable _core;
    IERC20 private immutable _stablecoin;

    constructor(IServiceCore core_) EIP712("ServiceRFQSettlement", "1") {
        if (core_.settlement() != address(this)) revert CoreDoesNotPointBack(address(core_), core_.settlement());
        _core = core_;
        _stablecoin = IERC20(core_.stablecoin());
    }

    /// @inheritdoc IServiceRFQSettlement
    function fill(Order calldata order, bytes calldata makerSignature) external {
        _fill(order, makerSignature);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillWithPermit(Order calldata order, bytes calldata makerSignature, Permit calldata permit) external {
        IERC20Permit token = IERC20Permit(address(_stablecoin));
        address spender = _takerSpender(order);
        // A refused permit is no fault yet: the transfers will see whether the allowance is there all the same.
        try token.permit(msg.sender, spender, permit.value, permit.deadline, permit.v, permit.r, permit.s) {} catch {}
        _fill(order, makerSignature);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillBatch(Order[] calldata orders, bytes[] calldata makerSignatures) external {
        if (orders.length == 0) revert BatchEmpty();
        if (orders.length != makerSignatures.length) {
            revert BatchLengthMismatch(orders.length, makerSignatures.length);
        }
        for (uint256 i = 0; i < orders.length; ++i) {
            _fill(orders[i], makerSignatures[i]);
        }
    }

    /// @inheritdoc IServiceRFQSettlement
    function core() external view returns (address) {
        return address(_core);
    }

    /// @inheritdoc IServiceRFQSettlement
    function stablecoin() external view returns (address) {
        return address(_stablecoin);
    }

    /// @inheritdoc IServiceRFQSettlement
    function hashOrder(Order calldata order) public view returns (bytes32 digest) {
        bytes32 typeHash = ORDER_TYPEHASH;
        bytes32 structHash;
        // The eight words of the calldata are the struct's encoding as they stand; abi.encode would copy each by itself.
        // `fill` reads maker, taker and side through Solidity, which refuses words with stray high bits.
        assembly ("memory-safe") {
            let encoded := mload(0x40)
            mstore(encoded, typeHash)
            calldatacopy(add(encoded, 0x20), order, 0x100)
            structHash := keccak256(encoded, 0x120)
        }
        return _hashTypedDataV4(structHash);
    }

    /// @inheritdoc IServiceRFQSettlement
    function checkOrder(Order calldata order, bytes calldata makerSignature)
        external
        view
        returns (OrderStatus status, uint256 makerShortfall, uint256 takerShortfall, address spender)
    {
        spender = _takerSpender(order);
        uint256 collateral;
        (status, collateral) = _checkTerms(order);
        // Terms that no money could mend leave nothing to ask of the wallets.
        if (status != OrderStatus.Fillable) return (status, 0, 0, spender);

        OrderStatus makerStatus;
        OrderStatus takerStatus;
        (makerStatus, makerShortfall) = _checkFunds(
            order.maker,
            order.makerSelling ? address(_core) : address(this),
            order.makerSelling ? collateral : order.premiumAmount,
            OrderStatus.MakerBalanceLow
        );
        (takerStatus, takerShortfall) = _checkFunds(
            order.taker, spender, order.makerSelling ? order.premiumAmount : collateral, OrderStatus.TakerBalanceLow
        );
        if (makerStatus != OrderStatus.Fillable) status = makerStatus;
        else if (!_isSignedByMaker(order.maker, hashOrder(order), makerSignature)) status = OrderStatus.SignatureInvalid;
        else status = takerStatus;
    }

    /// @dev The mint comes last, inside `writeOptions`: it may call the holder, who then finds the nonce used, the
    /// premium paid and the collateral locked. The core's guard stops a nested fill.
    function _fill(Order calldata order, bytes calldata makerSignature) private {
        address maker = order.maker;
        if (msg.sender != order.taker) revert NotTaker(msg.sender, order.taker);
        if (block.timestamp > order.validUntil) revert OrderExpired(order.validUntil, block.timestamp);
        if (order.optionAmount == 0) revert AmountZero();
        if (maker == msg.sender) revert SelfTrade(msg.sender);
        bytes32 digest = hashOrder(order);
        if (!_isSignedByMaker(maker, digest, makerSignature)) revert SignatureInvalid(maker, digest);
        _useNonce(maker, order.nonce);
        emit OrderFilled(
            maker, msg.sender, order.seriesId, order.optionAmount, order.premiumAmount, order.makerSelling, order.nonce
        );

        (address writer, address holder) = order.makerSelling ? (maker, msg.sender) : (msg.sender, maker);
        _stablecoin.safeTransferFrom(holder, writer, order.premiumAmount);
        uint256 collateral = _core.writeOptions(order.seriesId, writer, holder, order.optionAmount);
        // Asked after the fact because the core has just computed it; a revert undoes everything.
        if (order.premiumAmount > collateral) revert PremiumAboveCollateral(order.premiumAmount, collateral);
    }

    /// @dev Key first: an account that delegates its code (EIP-7702) still signs by its key. An address without code
    /// answers an ERC-1271 call with nothing, which is not a yes.
    function _isSignedByMaker(address maker, bytes32 digest, bytes calldata signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError err,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (err == ECDSA.RecoverError.NoError && recovered == maker) return true;
        return SignatureChecker.isValidERC1271SignatureNowCalldata(maker, digest, signature);
    }

    function _takerSpender(Order calldata order) private view returns (address) {
        return order.makerSelling ? address(this) : address(_core);
    }

    function _checkTerms(Order calldata order) private view returns (OrderStatus status, uint256 collateral) {
        if (block.timestamp > order.validUntil) return (OrderStatus.Expired, 0);
        if (order.optionAmount == 0) return (OrderStatus.AmountZero, 0);
        if (order.maker == order.taker) return (OrderStatus.SelfTrade, 0);
        if (isNonceUsed(order.maker, order.nonce)) return (OrderStatus.NonceUsed, 0);
        try _core.getSeries(order.seriesId) returns (IServiceCore.Series memory series) {
            if (series.settled) return (OrderStatus.SeriesSettled, 0);
            if (block.timestamp >= series.expiry) return (OrderStatus.SeriesExpired, 0);
            if (series.halted) return (OrderStatus.SeriesHalted, 0);
            if (order.optionAmount > type(uint128).max - series.openInterest) return (OrderStatus.AmountTooLarge, 0);
            collateral = order.optionAmount * OptionMath.maxPayoff(series.optionType, series.strikeBps);
            if (order.premiumAmount > collateral) return (OrderStatus.PremiumAboveCollateral, collateral);
        } catch {
            return (OrderStatus.SeriesUnknown, 0);
        }
    }

    /// @param balanceLow `MakerBalanceLow` or `TakerBalanceLow`; the status after it says the same of the allowance.
    function _checkFunds(address wallet, address spender, uint256 required, OrderStatus balanceLow)
        private
        view
        returns (OrderStatus status, uint256 shortfall)
    {
        uint256 balance = _stablecoin.balanceOf(wallet);
        uint256 allowance = _stablecoin.allowance(wallet, spender);
        if (balance < required) status = balanceLow;
        else if (allowance < required) status = OrderStatus(uint8(balanceLow) + 1);
        uint256 usable = balance < allowance ? balance : allowance;
        shortfall = required > usable ? required - usable : 0;
    }
}
