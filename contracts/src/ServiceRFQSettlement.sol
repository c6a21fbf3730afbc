// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {IServiceRFQSettlement} from "./IServiceRFQSettlement.sol";
import {MakerNonces} from "./MakerNonces.sol";
import {MakerSigners} from "./MakerSigners.sol";
import {Signatures} from "./Signatures.sol";
import {TakerPayments} from "./TakerPayments.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title ServiceRFQSettlement
/// @notice The settlement contract fills makers' signed orders. It is deployed last, at the address that the core was given (see
/// ServiceCore). It has no owner, no pause and no balance. It moves the stablecoin of a maker only as the maker, or a key that
/// the maker authorized, signed, and that of a taker only as the taker sent or signed.
contract ServiceRFQSettlement is MakerNonces, MakerSigners, TakerPayments, EIP712 {
    using SafeERC20 for IERC20;

    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "Order(address maker,uint256 seriesId,uint256 optionAmount,uint256 premiumAmount,bool makerSelling,address taker,uint256 validUntil,uint256 nonce)"
    );

    bytes32 private constant FILL_AUTHORIZATION_TYPEHASH = keccak256(
        "FillAuthorization(bytes32 orderHash,uint256 maxFee,address feeRecipient,uint256 deadline,address partner,uint16 partnerBps)"
    );

    /// @dev A page or an integration takes at most 5% of the premium.
    uint256 private constant MAX_PARTNER_BPS = 500;

    /// @dev This is some four times a cold fill, so that a maker's contract can verify a signature of its own kind.
    uint256 private constant GAS_PER_ORDER = 600_000;
    /// @dev An order gets its share although a 63rd of the gas stays behind and the call itself costs gas.
    uint256 private constant GAS_NEEDED = 620_000;

    /// @notice A taker pays these micro-dollars beside its order.
    /// @param fee Fee of the relayer.
    /// @param feeRecipient Account that gets it.
    /// @param partnerFee Share of the partner.
    /// @param partner Account that gets it.
    struct Fees {
        uint256 fee;
        address feeRecipient;
        uint256 partnerFee;
        address partner;
    }

    IServiceCore private immutable _core;

    /// @notice Fixes the core, which must name this contract, and with it the stablecoin.
    /// @param core_ Core whose options are filled.
    constructor(IServiceCore core_) TakerPayments(core_.stablecoin()) EIP712("ServiceRFQSettlement", "1") {
        if (core_.settlement() != address(this)) revert CoreDoesNotPointBack(address(core_), core_.settlement());
        _core = core_;
        // The core draws collateral that a taker pays by a signed transfer from this contract, within the same call.
        IERC20(core_.stablecoin()).forceApprove(address(core_), type(uint256).max);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fill(Order calldata order, bytes calldata makerSignature) external {
        _fill(order, makerSignature, msg.sender);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillWithPermit(Order calldata order, bytes calldata makerSignature, Permit calldata permit) external {
        _tryPermit(msg.sender, _takerSpender(order), permit);
        _fill(order, makerSignature, msg.sender);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillWithPayment(
        Order calldata order,
        bytes calldata makerSignature,
        Payment calldata payment,
        address partner,
        uint16 partnerBps
    ) external {
        Fees memory fees = Fees(0, address(0), _partnerFee(order.premiumAmount, partner, partnerBps), partner);
        _fillPaid(order, makerSignature, payment, msg.sender, fees);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillWithPartnerFee(Order calldata order, bytes calldata makerSignature, address partner, uint16 partnerBps)
        external
    {
        (address writer, address holder) = _beginWithPartner(order, makerSignature, partner, partnerBps);
        uint256 collateral = _core.openPositionPaidBy(writer, writer, holder, order.seriesId, order.optionAmount);
        _checkPremium(order.premiumAmount, collateral);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillFor(
        Order calldata order,
        bytes calldata makerSignature,
        Payment calldata payment,
        FillAuthorization calldata authorization,
        bytes calldata takerSignature,
        uint256 fee
    ) external {
        _checkAuthorization(order, authorization, takerSignature, fee);
        _fillPaid(order, makerSignature, payment, order.taker, _signedFees(order, authorization, fee));
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillBatch(Order[] calldata orders, bytes[] calldata makerSignatures) external {
        _checkBatch(orders.length, makerSignatures.length);
        for (uint256 i = 0; i < orders.length; ++i) {
            _fill(orders[i], makerSignatures[i], msg.sender);
        }
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillMany(Order[] calldata orders, bytes[] calldata makerSignatures)
        external
        returns (bool[] memory filled)
    {
        _checkBatch(orders.length, makerSignatures.length);
        filled = new bool[](orders.length);
        for (uint256 i = 0; i < orders.length; ++i) {
            if (gasleft() < GAS_NEEDED) revert GasTooLow(gasleft(), GAS_NEEDED);
            try this.fillOne{gas: GAS_PER_ORDER}(orders[i], makerSignatures[i], msg.sender) {
                filled[i] = true;
            } catch {}
        }
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillOne(Order calldata order, bytes calldata makerSignature, address taker) external {
        if (msg.sender != address(this)) revert NotSelf(msg.sender);
        _fill(order, makerSignature, taker);
    }

    /// @inheritdoc IServiceRFQSettlement
    function fillFromInventory(
        Order calldata order,
        bytes calldata makerSignature,
        uint256 fromInventory,
        uint256 closeAfter,
        address partner,
        uint16 partnerBps
    ) external {
        _checkAmounts(order, fromInventory, closeAfter);
        (address seller, address buyer) = _beginWithPartner(order, makerSignature, partner, partnerBps);
        uint256 collateral;
        if (fromInventory != 0) collateral = _core.sellLongs(seller, buyer, order.seriesId, fromInventory);
        if (fromInventory != order.optionAmount) {
            uint256 written = order.optionAmount - fromInventory;
            collateral += _core.openPositionPaidBy(seller, seller, buyer, order.seriesId, written);
        }
        _checkPremium(order.premiumAmount, collateral);
        if (closeAfter != 0) _core.closeFor(order.seriesId, buyer, closeAfter);
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
        // The eight words of the calldata are the struct's encoding already; abi.encode would copy each of them.
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
    function hashFillAuthorization(FillAuthorization calldata authorization) public view returns (bytes32 digest) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(
                    FILL_AUTHORIZATION_TYPEHASH,
                    authorization.orderHash,
                    authorization.maxFee,
                    authorization.feeRecipient,
                    authorization.deadline,
                    authorization.partner,
                    authorization.partnerBps
                )
            )
        );
    }

    /// @inheritdoc IServiceRFQSettlement
    function signedUntil(Order calldata order, bytes calldata makerSignature) external view returns (uint256 until) {
        return _signedUntil(order.maker, hashOrder(order), makerSignature);
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
        // An order with invalid terms needs no check of the wallets.
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
        if (makerStatus != OrderStatus.Fillable) {
            status = makerStatus;
        } else if (block.timestamp > _signedUntil(order.maker, hashOrder(order), makerSignature)) {
            status = OrderStatus.SignatureInvalid;
        } else {
            status = takerStatus;
        }
    }

    /// @dev The mint comes last, inside `openPositionPaidBy`. It may call the holder, for whom the nonce is then used, the premium
    /// paid and the collateral locked. The core's guard stops a nested fill.
    function _fill(Order calldata order, bytes calldata makerSignature, address taker) private {
        (address writer, address holder) = _begin(order, makerSignature, taker);
        uint256 collateral = _core.openPositionPaidBy(writer, writer, holder, order.seriesId, order.optionAmount);
        _checkPremium(order.premiumAmount, collateral);
    }

    /// @dev What the taker signed is for this order, in time, and at least this fee.
    function _checkAuthorization(
        Order calldata order,
        FillAuthorization calldata authorization,
        bytes calldata takerSignature,
        uint256 fee
    ) private view {
        if (block.timestamp > authorization.deadline) {
            revert FillAuthorizationExpired(authorization.deadline, block.timestamp);
        }
        if (fee > authorization.maxFee) revert FeeAboveMax(fee, authorization.maxFee);
        bytes32 orderHash = hashOrder(order);
        if (authorization.orderHash != orderHash) {
            revert FillAuthorizationMismatch(orderHash, authorization.orderHash);
        }
        bytes32 digest = hashFillAuthorization(authorization);
        (bool isSigned,) = Signatures.check(order.taker, digest, takerSignature);
        if (!isSigned) revert FillAuthorizationInvalid(order.taker, digest);
    }

    function _signedFees(Order calldata order, FillAuthorization calldata authorization, uint256 fee)
        private
        view
        returns (Fees memory)
    {
        address partner = authorization.partner;
        uint256 partnerFee = _partnerFee(order.premiumAmount, partner, authorization.partnerBps);
        return Fees(fee, authorization.feeRecipient, partnerFee, partner);
    }

    /// @dev The taker chooses how it pays, and pays the fees that it signed.
    function _fillPaid(
        Order calldata order,
        bytes calldata makerSignature,
        Payment calldata payment,
        address taker,
        Fees memory fees
    ) private {
        _check(order, makerSignature, taker);
        uint256 collateral = order.makerSelling ? _buyPaid(order, payment, fees) : _writePaid(order, payment, fees);
        _checkPremium(order.premiumAmount, collateral);
    }

    /// @dev A taker that buys pays the fees on top of the premium.
    function _buyPaid(Order calldata order, Payment calldata payment, Fees memory fees)
        private
        returns (uint256 collateral)
    {
        address maker = order.maker;
        uint256 due = order.premiumAmount + fees.fee + fees.partnerFee;
        address payer = _fund(payment, order.taker, address(this), due);
        _pay(payer, maker, order.premiumAmount);
        _payFees(payer, fees);
        return _core.openPositionPaidBy(maker, maker, order.taker, order.seriesId, order.optionAmount);
    }

    /// @dev A taker that writes pays the fees out of the premium, so that it needs to approve only the core.
    function _writePaid(Order calldata order, Payment calldata payment, Fees memory fees)
        private
        returns (uint256 collateral)
    {
        address maker = order.maker;
        address taker = order.taker;
        uint256 total = fees.fee + fees.partnerFee;
        if (total > order.premiumAmount) revert FeeAbovePremium(total, order.premiumAmount);
        uint256 due = _core.requiredCollateral(order.seriesId, order.optionAmount);
        address payer = _fund(payment, taker, address(_core), due);
        _pay(maker, taker, order.premiumAmount - total);
        _payFees(maker, fees);
        return _core.openPositionPaidBy(payer, taker, maker, order.seriesId, order.optionAmount);
    }

    function _payFees(address payer, Fees memory fees) private {
        if (fees.fee != 0) _pay(payer, fees.feeRecipient, fees.fee);
        if (fees.partnerFee != 0) _pay(payer, fees.partner, fees.partnerFee);
    }

    /// @dev Checks the order, uses its nonce and pays the premium; the options follow.
    function _begin(Order calldata order, bytes calldata makerSignature, address taker)
        private
        returns (address seller, address buyer)
    {
        _check(order, makerSignature, taker);
        address maker = order.maker;
        (seller, buyer) = order.makerSelling ? (maker, taker) : (taker, maker);
        _stablecoin.safeTransferFrom(buyer, seller, order.premiumAmount);
    }

    /// @dev As `_begin` for the caller, and the buyer pays the partner's share: on top where the taker buys, out of the premium where
    /// it sells.
    function _beginWithPartner(Order calldata order, bytes calldata makerSignature, address partner, uint256 partnerBps)
        private
        returns (address seller, address buyer)
    {
        _check(order, makerSignature, msg.sender);
        bool makerSelling = order.makerSelling;
        (seller, buyer) = makerSelling ? (order.maker, msg.sender) : (msg.sender, order.maker);
        uint256 premium = order.premiumAmount;
        uint256 fee = _partnerFee(premium, partner, partnerBps);
        _stablecoin.safeTransferFrom(buyer, seller, makerSelling ? premium : premium - fee);
        if (fee != 0) _stablecoin.safeTransferFrom(buyer, partner, fee);
    }

    /// @dev Checks everything of an order except its series and its money, and uses its nonce.
    function _check(Order calldata order, bytes calldata makerSignature, address taker) private {
        address maker = order.maker;
        if (taker != order.taker) revert NotTaker(taker, order.taker);
        if (block.timestamp > order.validUntil) revert OrderExpired(order.validUntil, block.timestamp);
        if (order.optionAmount == 0) revert AmountZero();
        if (maker == taker) revert SelfTrade(taker);
        bytes32 digest = hashOrder(order);
        if (block.timestamp > _signedUntil(maker, digest, makerSignature)) revert SignatureInvalid(maker, digest);
        _useNonce(maker, order.nonce);
        emit OrderFilled(
            maker, taker, order.seriesId, order.optionAmount, order.premiumAmount, order.makerSelling, order.nonce
        );
    }

    /// @dev A share of the premium, rounded down. What the two contracts are sent is lost, so that they are no partners.
    function _partnerFee(uint256 premium, address partner, uint256 partnerBps) private view returns (uint256 fee) {
        if (partnerBps == 0) return 0;
        if (partnerBps > MAX_PARTNER_BPS) revert PartnerFeeAboveMax(partnerBps, MAX_PARTNER_BPS);
        if (partner == address(0) || partner == address(this) || partner == address(_core)) {
            revert PartnerInvalid(partner);
        }
        return premium * partnerBps / 10_000;
    }

    function _checkAmounts(Order calldata order, uint256 fromInventory, uint256 closeAfter) private pure {
        uint256 amount = order.optionAmount;
        if (fromInventory > amount) revert InventoryAboveAmount(fromInventory, amount);
        uint256 bought = order.makerSelling ? amount : 0;
        if (closeAfter > bought) revert CloseAboveBought(closeAfter, bought);
    }

    /// @dev The check comes last because the core has just computed the collateral; a revert undoes everything.
    function _checkPremium(uint256 premiumAmount, uint256 collateral) private pure {
        if (premiumAmount > collateral) revert PremiumAboveCollateral(premiumAmount, collateral);
    }

    function _checkBatch(uint256 orders, uint256 signatures) private pure {
        if (orders == 0) revert BatchEmpty();
        if (orders != signatures) revert BatchLengthMismatch(orders, signatures);
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
            if (block.timestamp >= series.tradingEndsAt) return (OrderStatus.SeriesExpired, 0);
            if (series.halted) return (OrderStatus.SeriesHalted, 0);
            if (order.optionAmount > series.openInterestCap - series.openInterest) {
                return (OrderStatus.AmountTooLarge, 0);
            }
            collateral = order.optionAmount * series.maxPayoff;
            if (order.premiumAmount > collateral) return (OrderStatus.PremiumAboveCollateral, collateral);
        } catch {
            return (OrderStatus.SeriesUnknown, 0);
        }
    }

    /// @param balanceLow `MakerBalanceLow` or `TakerBalanceLow`; the next status is the same for the allowance.
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
