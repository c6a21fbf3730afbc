// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPermit2} from "../../src/IPayments.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {Permit2Double} from "../support/SignedTransfers.sol";
import {Market} from "./Market.sol";

/// @title Paying
/// @notice These actions are fills that others submit, that Permit2 pays, that pay a partner, or that an authorized key of the
/// maker signed.
abstract contract Paying is Market {
    Permit2Double private constant PERMIT2 = Permit2Double(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    uint256 private constant HOT_KEY = 0x407;
    /// @dev Authorized and revoked with all others, and never again.
    uint256 private constant OTHER_KEY = 0x0743;

    function fillFor(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, amount, premium, makerSelling);
        (address partner, uint16 bps, uint256 share) = partnerOf(order, seed);
        uint256 fee = bound(seed >> 40, 0, makerSelling ? 1e6 : order.premiumAmount - share);
        uint256 due = makerSelling ? order.premiumAmount + fee + share : order.optionAmount * books[index].most;
        submitFor(order, seed, fee, due, partner, bps);
        bookOrder(index, order);
        bookShare(order.taker, actorAt(seed >> 24), fee);
        bookShare(order.taker, partner, share);
        ++done["fillFor"];
    }

    function submitFor(
        IServiceRFQSettlement.Order memory order,
        uint128 seed,
        uint256 fee,
        uint256 due,
        address partner,
        uint16 bps
    ) private {
        IServiceRFQSettlement.FillAuthorization memory authorization =
            IServiceRFQSettlement.FillAuthorization(
                settlement.hashOrder(order),
                fee + seed % 7,
                actorAt(seed >> 24),
                block.timestamp + seed % 5,
                partner,
                bps
            );
        IServiceRFQSettlement.Payment memory payment = paymentOf(order.taker, due, seed);
        bytes memory makerSignature = signedBySomeKey(order, seed);
        bytes memory takerSignature = sign(keys[order.taker], settlement.hashFillAuthorization(authorization));
        vm.prank(address(uint160(seed)));
        settlement.fillFor(order, makerSignature, payment, authorization, takerSignature, fee);
    }

    function fillWithPayment(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, amount, premium, makerSelling);
        (address partner, uint16 bps, uint256 share) = partnerOf(order, seed);
        uint256 due = makerSelling ? order.premiumAmount + share : order.optionAmount * books[index].most;
        IServiceRFQSettlement.Payment memory payment = paymentOf(order.taker, due, seed);
        bytes memory makerSignature = signedBySomeKey(order, seed);
        vm.prank(order.taker);
        settlement.fillWithPayment(order, makerSignature, payment, partner, bps);
        bookOrder(index, order);
        bookShare(order.taker, partner, share);
        ++done["fillWithPayment"];
    }

    function fillWithPartnerFee(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, amount, premium, makerSelling);
        (address partner, uint16 bps, uint256 share) = partnerOf(order, seed);
        bytes memory makerSignature = signedBySomeKey(order, seed);
        vm.prank(order.taker);
        settlement.fillWithPartnerFee(order, makerSignature, partner, bps);
        bookOrder(index, order);
        bookShare(order.taker, partner, share);
        ++done["fillWithPartnerFee"];
    }

    /// @dev A key that was revoked signs nothing.
    function refuseRevokedKey(uint128 seed) external {
        IServiceRFQSettlement.Order memory order = orderFor(liveBook(seed), seed, 1, 0, true);
        vm.prank(order.maker);
        settlement.authorizeSigner(vm.addr(HOT_KEY), block.timestamp + 1 days);
        vm.prank(order.maker);
        settlement.revokeSigner(vm.addr(HOT_KEY));
        refuseKey(order, settlement.hashOrder(order), HOT_KEY);
        ++done["refuseRevokedKey"];
    }

    /// @dev All keys of a maker are revoked at once; the next one is authorized anew, and the others stay revoked.
    function revokeAllKeys(uint128 seed) external {
        IServiceRFQSettlement.Order memory order = orderFor(liveBook(seed), seed, 1, 0, true);
        bytes32 digest = settlement.hashOrder(order);
        vm.prank(order.maker);
        settlement.authorizeSigner(vm.addr(HOT_KEY), block.timestamp + 1 days);
        vm.prank(order.maker);
        settlement.authorizeSigner(vm.addr(OTHER_KEY), block.timestamp + 1 days);
        vm.prank(order.maker);
        settlement.revokeAllSigners();
        ++epochs[order.maker];
        if (seed & 16 == 0) {
            vm.prank(order.maker);
            settlement.authorizeSigner(vm.addr(HOT_KEY), block.timestamp + 1 days);
        } else {
            refuseKey(order, digest, HOT_KEY);
        }
        refuseKey(order, digest, OTHER_KEY);
        ++done["revokeAllKeys"];
    }

    /// @dev A maker fills in its taker's name, or a recipient charges more than the taker signed, or pays itself.
    function refuseOverstep(uint128 seed, uint256 amount, bool makerSelling) external {
        IServiceRFQSettlement.Order memory order = orderFor(liveBook(seed), seed | 1, amount, 0, makerSelling);
        bytes memory makerSignature = signed(order);
        bytes memory reason = abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, order.maker, order.taker);
        IServiceRFQSettlement.Payment memory payment;
        vm.expectRevert(reason);
        vm.prank(order.maker);
        settlement.fill(order, makerSignature);
        vm.expectRevert(reason);
        vm.prank(order.maker);
        settlement.fillWithPayment(order, makerSignature, payment, order.maker, 500);
        vm.expectRevert(reason);
        vm.prank(order.maker);
        settlement.fillWithPartnerFee(order, makerSignature, order.maker, 500);
        vm.expectRevert(reason);
        vm.prank(order.maker);
        settlement.fillFromInventory(order, makerSignature, 0, 0, order.maker, 500);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, 501, 500));
        vm.prank(order.taker);
        settlement.fillWithPartnerFee(order, makerSignature, actorAt(seed >> 24), 501);
        IServiceRFQSettlement.FillAuthorization memory authorization = IServiceRFQSettlement.FillAuthorization(
            settlement.hashOrder(order), seed % 1e6, actorAt(seed >> 24), block.timestamp, actorAt(seed >> 32), 100
        );
        bytes memory takerSignature = sign(keys[order.taker], settlement.hashFillAuthorization(authorization));
        reason = abi.encodeWithSelector(IServiceRFQSettlement.FeeAboveMax.selector, seed % 1e6 + 1, seed % 1e6);
        if (seed & 1 == 0) {
            if (seed & 2 == 0) authorization.feeRecipient = order.maker;
            else (authorization.partner, authorization.partnerBps) = (order.maker, 500);
            bytes32 digest = settlement.hashFillAuthorization(authorization);
            if (seed & 2 == 2 || order.maker != actorAt(seed >> 24)) {
                reason = abi.encodeWithSelector(
                    IServiceRFQSettlement.FillAuthorizationInvalid.selector, order.taker, digest
                );
            }
        }
        bool isChanged = seed & 1 == 0 && (seed & 2 == 2 || order.maker != actorAt(seed >> 24));
        uint256 fee = isChanged ? 0 : seed % 1e6 + 1;
        vm.expectRevert(reason);
        vm.prank(authorization.feeRecipient);
        settlement.fillFor(order, makerSignature, payment, authorization, takerSignature, fee);
        ++done["refuseOverstep"];
    }

    function refuseKey(IServiceRFQSettlement.Order memory order, bytes32 digest, uint256 key) private {
        bytes memory signature = sign(key, digest);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, order.maker, digest));
        vm.prank(order.taker);
        settlement.fill(order, signature);
    }

    /// @dev Half of them by the maker's own key or check, half by a key that it has authorised.
    function signedBySomeKey(IServiceRFQSettlement.Order memory order, uint256 seed) private returns (bytes memory) {
        if (seed & 16 == 0) return signed(order);
        vm.prank(order.maker);
        settlement.authorizeSigner(vm.addr(HOT_KEY), block.timestamp + 1 + seed % 1 days);
        return sign(HOT_KEY, settlement.hashOrder(order));
    }

    /// @dev Half of them by the endless allowance that actors have given, half by Permit2.
    function paymentOf(address taker, uint256 due, uint256 seed)
        private
        returns (IServiceRFQSettlement.Payment memory payment)
    {
        if (seed & 32 == 0) return payment;
        if (address(PERMIT2).code.length == 0) vm.etch(address(PERMIT2), address(new Permit2Double()).code);
        vm.prank(taker);
        usd.approve(address(PERMIT2), due);
        IPermit2.PermitTransferFrom memory permit =
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(address(usd), due), nextNonce, block.timestamp);
        bytes memory signature = sign(keys[taker], PERMIT2.hashTransfer(permit, address(settlement)));
        return IServiceRFQSettlement.Payment(
            IServiceRFQSettlement.PaymentMethod.Permit2, due, nextNonce, block.timestamp, signature
        );
    }
}
