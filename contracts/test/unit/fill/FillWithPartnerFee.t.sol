// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {PaymentsWorld} from "../../support/PaymentsWorld.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title FillWithPartnerFeeTest
/// @notice A taker pays a share of the premium to a partner that it names, by each way to fill that is its own transaction.
contract FillWithPartnerFeeTest is PaymentsWorld {
    uint256 private constant PREMIUM = 77_500_000;
    uint256 private constant COLLATERAL = 250 * 550_000;
    /// @dev Of 1% of the premium.
    uint16 private constant BPS = 100;
    uint256 private constant SHARE = 775_000;

    function test_a_taker_that_buys_pays_the_share_on_top() external {
        approve(taker, address(settlement), PREMIUM + SHARE);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.OrderFilled(maker, taker, callId, 250, PREMIUM, true, 0);
        vm.expectEmit(address(usd));
        emit IERC20.Transfer(taker, maker, PREMIUM);
        vm.expectEmit(address(usd));
        emit IERC20.Transfer(taker, partner, SHARE);
        vm.prank(taker);
        settlement.fillWithPartnerFee(order, signature, partner, BPS);
        hasBought();
        vm.assertEq(usd.allowance(taker, address(settlement)), 0, "nothing more is approved");
        vm.assertTrue(settlement.isNonceUsed(maker, 0), "the nonce is used");
    }

    function test_a_taker_that_writes_pays_the_share_out_of_the_premium() external {
        approve(taker, address(core), COLLATERAL);
        approve(maker, address(settlement), PREMIUM);
        fillFor(writtenByTaker(), partner, BPS);
        hasWritten();
        vm.assertEq(usd.allowance(maker, address(settlement)), 0, "the maker has approved the premium alone");
    }

    function test_an_allowance_of_the_premium_alone_is_too_low() external {
        approve(taker, address(settlement), PREMIUM + SHARE - 1);
        refuses(
            someOrder(),
            partner,
            BPS,
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), SHARE - 1, SHARE
            )
        );
        vm.assertTrue(!settlement.isNonceUsed(maker, 0), "the nonce is as it was");
        vm.assertEq(usd.balanceOf(maker), FUNDS, "and so is the money");
        vm.assertEq(usd.balanceOf(taker), FUNDS, "of both");
    }

    function test_a_partner_takes_at_most_five_percent() external {
        approve(taker, address(settlement), type(uint256).max);
        uint16[2] memory shares = [501, type(uint16).max];
        for (uint256 i = 0; i < 2; ++i) {
            refuses(
                someOrder(),
                partner,
                shares[i],
                abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, shares[i], 500)
            );
        }
        bytes memory reason = abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, 501, 500);
        refuses(someOrder(), taker, 501, reason);
        refuses(someOrder(), maker, 501, reason);
        fillFor(someOrder(), partner, 500);
        vm.assertEq(usd.balanceOf(partner), PREMIUM / 20, "a twentieth");
    }

    function test_zero_core_and_settlement_are_no_partners() external {
        approve(taker, address(settlement), type(uint256).max);
        address[3] memory lost = [address(0), address(core), address(settlement)];
        for (uint256 i = 0; i < 3; ++i) {
            refuses(
                someOrder(), lost[i], 1, abi.encodeWithSelector(IServiceRFQSettlement.PartnerInvalid.selector, lost[i])
            );
        }
    }

    function test_a_share_of_zero_pays_no_one() external {
        approve(taker, address(settlement), PREMIUM);
        address[3] memory named = [address(0), partner, address(core)];
        for (uint256 i = 0; i < 3; ++i) {
            uint256 state = vm.snapshotState();
            fillFor(someOrder(), named[i], 0);
            vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM, "the premium alone");
            vm.assertEq(usd.balanceOf(partner), 0, "no share");
            vm.assertEq(usd.balanceOf(address(core)), COLLATERAL, "nor to the core");
            vm.revertToState(state);
        }
    }

    function test_a_share_is_rounded_down() external {
        approve(taker, address(settlement), type(uint256).max);
        uint256[4] memory premiums = [uint256(0), 99, 100, 199];
        uint256[4] memory paid = [uint256(0), 0, 1, 1];
        for (uint256 i = 0; i < 4; ++i) {
            IServiceRFQSettlement.Order memory order = someOrder();
            order.premiumAmount = premiums[i];
            uint256 state = vm.snapshotState();
            fillFor(order, partner, BPS);
            vm.assertEq(usd.balanceOf(partner), paid[i], "share");
            vm.assertEq(usd.balanceOf(taker), FUNDS - premiums[i] - paid[i], "the taker");
            vm.revertToState(state);
        }
    }

    function test_each_side_may_be_the_partner() external {
        approve(taker, address(settlement), type(uint256).max);
        approve(taker, address(core), type(uint256).max);
        uint256 state = vm.snapshotState();
        fillFor(someOrder(), maker, BPS);
        vm.assertEq(usd.balanceOf(maker), FUNDS + PREMIUM + SHARE - COLLATERAL, "the maker that sells");
        vm.revertToState(state);
        fillFor(writtenByTaker(), maker, BPS);
        vm.assertEq(usd.balanceOf(maker), FUNDS - PREMIUM + SHARE, "the maker that buys");
        vm.revertToState(state);
        fillFor(someOrder(), taker, BPS);
        vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM, "the taker that buys");
        vm.revertToState(state);
        fillFor(writtenByTaker(), taker, BPS);
        vm.assertEq(usd.balanceOf(taker), FUNDS + PREMIUM - COLLATERAL, "the taker that writes");
    }

    function test_what_a_fill_refuses_is_refused_with_a_partner() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.premiumAmount = COLLATERAL + 1;
        refuses(
            order,
            partner,
            BPS,
            abi.encodeWithSelector(IServiceRFQSettlement.PremiumAboveCollateral.selector, COLLATERAL + 1, COLLATERAL)
        );
        order = someOrder();
        order.optionAmount = 0;
        refuses(order, partner, BPS, abi.encodeWithSelector(IServiceRFQSettlement.AmountZero.selector));
        order = someOrder();
        order.validUntil = START - 1;
        refuses(
            order, partner, BPS, abi.encodeWithSelector(IServiceRFQSettlement.OrderExpired.selector, START - 1, START)
        );
        fillFor(someOrder(), partner, BPS);
        refuses(someOrder(), partner, BPS, abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
    }

    function test_a_premium_whose_share_overflows_is_refused() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.premiumAmount = type(uint256).max / 100 + 1;
        refuses(order, partner, BPS, abi.encodeWithSignature("Panic(uint256)", 0x11));
        vm.assertTrue(!settlement.isNonceUsed(maker, 0), "the nonce is as it was");
    }

    function test_only_its_taker_fills_it() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, partner, taker));
        vm.prank(partner);
        settlement.fillWithPartnerFee(order, signature, partner, BPS);
        // The taker's own signature is none of its maker's.
        bytes32 digest = settlement.hashOrder(order);
        bytes memory own = sign(TAKER_KEY, digest);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, maker, digest));
        vm.prank(taker);
        settlement.fillWithPartnerFee(order, own, partner, BPS);
    }

    function test_an_address_or_a_share_with_stray_bits_is_refused() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory call = abi.encodeCall(settlement.fillWithPartnerFee, (order, signed(order), partner, BPS));
        uint256[2] memory stray = [uint256(4 + 0x120), 4 + 0x140];
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory changed = bytes.concat(call);
            // The highest byte of the word of the address, and of that of the share.
            changed[stray[i]] = 0x01;
            vm.prank(taker);
            (bool passed,) = address(settlement).call(changed);
            vm.assertTrue(!passed, "stray bits");
        }
    }

    function test_buying_by_each_payment() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        IServiceRFQSettlement.Payment[3] memory payments = [
            byPermit(address(settlement), PREMIUM + SHARE), byAuthorization(PREMIUM + SHARE), byPermit2(PREMIUM + SHARE)
        ];
        uint256 state = vm.snapshotState();
        for (uint256 i = 0; i < 3; ++i) {
            fillPaid(someOrder(), payments[i]);
            hasBought();
            vm.revertToState(state);
        }
        approve(taker, address(settlement), PREMIUM + SHARE);
        fillPaid(someOrder(), byAllowance());
        hasBought();
    }

    function test_writing_by_each_payment() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        IServiceRFQSettlement.Payment[3] memory payments =
            [byPermit(address(core), COLLATERAL), byAuthorization(COLLATERAL), byPermit2(COLLATERAL)];
        uint256 state = vm.snapshotState();
        for (uint256 i = 0; i < 3; ++i) {
            fillPaid(writtenByTaker(), payments[i]);
            hasWritten();
            vm.revertToState(state);
        }
        approve(taker, address(core), COLLATERAL);
        fillPaid(writtenByTaker(), byAllowance());
        hasWritten();
    }

    function test_a_signed_transfer_is_of_premium_and_share() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Payment memory paid = byAuthorization(PREMIUM);
        vm.expectRevert(
            abi.encodeWithSelector(IServiceRFQSettlement.PaymentMismatch.selector, PREMIUM, PREMIUM + SHARE)
        );
        vm.prank(taker);
        settlement.fillWithPayment(order, signature, paid, partner, BPS);
    }

    function test_a_payment_pays_no_share_above_the_cap() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Payment memory paid = byAuthorization(PREMIUM);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, 501, 500));
        vm.prank(taker);
        settlement.fillWithPayment(order, signature, paid, partner, 501);
    }

    function test_from_inventory_the_share_is_paid_too() external {
        approve(taker, address(settlement), PREMIUM + SHARE);
        fillFor(someOrder(), partner, BPS);
        // The taker sells a part of what it holds: out of the premium, and no collateral is locked.
        vm.prank(taker);
        core.setApprovalForAll(address(settlement), true);
        IServiceRFQSettlement.Order memory order = writtenByTaker();
        (order.nonce, order.optionAmount, order.premiumAmount) = (1, 100, 31_000_000);
        uint256 before = usd.balanceOf(taker);
        bytes memory signature = signed(order);
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 100, 0, partner, BPS);
        vm.assertEq(usd.balanceOf(taker), before + 31_000_000 - 310_000, "the taker");
        vm.assertEq(usd.balanceOf(partner), SHARE + 310_000, "the partner");
        vm.assertEq(usd.balanceOf(address(core)), COLLATERAL, "nothing was locked");
    }

    function test_from_inventory_a_buyer_pays_on_top() external {
        approve(taker, address(core), COLLATERAL);
        fillFor(writtenByTaker(), partner, BPS);
        // The maker passes on what it bought, and the taker closes what it had written by that.
        vm.prank(maker);
        core.setApprovalForAll(address(settlement), true);
        approve(taker, address(settlement), PREMIUM + SHARE);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.nonce = 1;
        bytes memory signature = signed(order);
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 250, 250, partner, BPS);
        vm.assertEq(usd.balanceOf(taker), FUNDS - 2 * SHARE, "the taker has paid two shares");
        vm.assertEq(usd.balanceOf(maker), FUNDS, "the maker nothing");
        vm.assertEq(usd.balanceOf(partner), 2 * SHARE, "the partner");
        vm.assertEq(usd.balanceOf(address(core)), 0, "all is closed");
    }

    function test_from_inventory_no_share_is_above_the_cap() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, 501, 500));
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 0, 0, partner, 501);
    }

    function test_the_mint_sees_that_the_partner_is_paid() external {
        Watcher watcher = new Watcher(usd, partner);
        usd.mint(address(watcher), FUNDS);
        approve(address(watcher), address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.taker = address(watcher);
        fillFor(order, partner, BPS);
        vm.assertEq(watcher.seen(), SHARE, "at the mint");
        vm.assertEq(usd.balanceOf(partner), SHARE, "and after it");
    }

    function testFuzz_any_share_leaves_every_balance_exact(uint96 premium, uint16 bps, bool writes) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = !writes;
        order.premiumAmount = bound(premium, 0, COLLATERAL);
        bps = uint16(bound(bps, 0, 500));
        uint256 share = order.premiumAmount * bps / 10_000;
        approve(taker, address(settlement), writes ? 0 : order.premiumAmount + share);
        approve(taker, address(core), writes ? COLLATERAL : 0);
        approve(maker, address(settlement), writes ? order.premiumAmount : 0);
        fillFor(order, partner, bps);
        uint256 takerPaid = writes ? COLLATERAL + share - order.premiumAmount : order.premiumAmount + share;
        vm.assertEq(usd.balanceOf(taker) + takerPaid, FUNDS, "taker");
        vm.assertEq(usd.balanceOf(partner), share, "share");
        vm.assertEq(usd.balanceOf(address(core)), COLLATERAL, "collateral");
        vm.assertEq(usd.balanceOf(taker) + usd.balanceOf(maker) + share + COLLATERAL, 2 * FUNDS, "all");
        nothingIsLeftInTheSettlement();
    }

    /// @dev The same order with a partner and without: what the maker has is the same, but for nothing.
    function testFuzz_the_maker_pays_and_gets_what_it_does_by_fill(uint96 premium, uint16 bps, bool writes) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = !writes;
        order.premiumAmount = bound(premium, 0, COLLATERAL);
        approve(taker, address(settlement), type(uint256).max);
        approve(taker, address(core), type(uint256).max);
        uint256 state = vm.snapshotState();
        fill(order);
        uint256 byFill = usd.balanceOf(maker);
        vm.revertToState(state);
        fillFor(order, partner, uint16(bound(bps, 0, 500)));
        vm.assertEq(usd.balanceOf(maker), byFill, "the maker");
        vm.assertEq(core.balanceOf(writes ? maker : taker, callId), 250, "longs");
        vm.assertEq(core.shortOf(callId, writes ? taker : maker), 250, "shorts");
    }

    function testFuzz_no_share_above_the_cap_is_paid(uint16 bps) external {
        bps = uint16(bound(bps, 501, type(uint16).max));
        refuses(
            someOrder(),
            partner,
            bps,
            abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, bps, 500)
        );
    }

    function hasBought() private view {
        vm.assertEq(core.balanceOf(taker, callId), 250, "longs");
        vm.assertEq(core.shortOf(callId, maker), 250, "shorts");
        vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM - SHARE, "the taker has paid premium and share");
        vm.assertEq(usd.balanceOf(maker), FUNDS + PREMIUM - COLLATERAL, "the maker has the whole premium");
        vm.assertEq(usd.balanceOf(partner), SHARE, "the partner has its share");
        nothingIsLeftInTheSettlement();
    }

    function hasWritten() private view {
        vm.assertEq(core.balanceOf(maker, callId), 250, "longs");
        vm.assertEq(core.shortOf(callId, taker), 250, "shorts");
        vm.assertEq(usd.balanceOf(taker), FUNDS + PREMIUM - SHARE - COLLATERAL, "the taker gets less by the share");
        vm.assertEq(usd.balanceOf(maker), FUNDS - PREMIUM, "the maker pays the premium and no more");
        vm.assertEq(usd.balanceOf(partner), SHARE, "the partner has its share");
        nothingIsLeftInTheSettlement();
    }

    function fillFor(IServiceRFQSettlement.Order memory order, address named, uint16 bps) private {
        bytes memory signature = signed(order);
        vm.prank(order.taker);
        settlement.fillWithPartnerFee(order, signature, named, bps);
    }

    function fillPaid(IServiceRFQSettlement.Order memory order, IServiceRFQSettlement.Payment memory paid) private {
        bytes memory signature = signed(order);
        vm.prank(taker);
        settlement.fillWithPayment(order, signature, paid, partner, BPS);
    }

    function refuses(IServiceRFQSettlement.Order memory order, address named, uint16 bps, bytes memory reason) private {
        bytes memory signature = signed(order);
        vm.expectRevert(reason);
        vm.prank(taker);
        settlement.fillWithPartnerFee(order, signature, named, bps);
    }
}

/// @title Watcher
/// @notice This buyer looks at the partner's balance from its mint hook.
contract Watcher is ERC1155Holder {
    IERC20 private immutable token;
    address private immutable partner;
    uint256 public seen;

    constructor(IERC20 token_, address partner_) {
        (token, partner) = (token_, partner_);
    }

    function onERC1155Received(address from, address operator, uint256 id, uint256 amount, bytes memory data)
        public
        override
        returns (bytes4)
    {
        seen = token.balanceOf(partner);
        return super.onERC1155Received(from, operator, id, amount, data);
    }
}
