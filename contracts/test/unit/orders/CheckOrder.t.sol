// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";

/// @title CheckOrderTest
/// @notice `checkOrder` returns the first fault of an order.
contract CheckOrderTest is World {
    function test_fillable_names_the_settlement_for_a_buying_taker() external view {
        IServiceRFQSettlement.Order memory order = someOrder();
        expect(order, signed(order), IServiceRFQSettlement.OrderStatus.Fillable, 0, 0, address(settlement));
    }

    function test_fillable_names_the_core_for_a_writing_taker() external view {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = false;
        expect(order, signed(order), IServiceRFQSettlement.OrderStatus.Fillable, 0, 0, address(core));
    }

    function test_an_order_after_its_last_second_is_expired() external {
        vm.warp(someOrder().validUntil);
        says(someOrder(), IServiceRFQSettlement.OrderStatus.Fillable);
        vm.warp(someOrder().validUntil + 1);
        says(someOrder(), IServiceRFQSettlement.OrderStatus.Expired);
    }

    function test_no_options_is_amount_zero() external view {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.optionAmount = 0;
        says(order, IServiceRFQSettlement.OrderStatus.AmountZero);
    }

    function test_a_maker_that_is_the_taker_is_a_self_trade() external view {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.taker = maker;
        says(order, IServiceRFQSettlement.OrderStatus.SelfTrade);
    }

    function test_a_filled_order_has_its_nonce_used() external {
        fill(someOrder());
        says(someOrder(), IServiceRFQSettlement.OrderStatus.NonceUsed);
    }

    function test_a_series_that_was_never_created_is_unknown() external view {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.seriesId = 1;
        says(order, IServiceRFQSettlement.OrderStatus.SeriesUnknown);
    }

    function test_a_series_is_expired_then_settled() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.validUntil = EXPIRY + 1 days;
        vm.warp(EXPIRY - 1);
        says(order, IServiceRFQSettlement.OrderStatus.Fillable);
        vm.warp(EXPIRY);
        says(order, IServiceRFQSettlement.OrderStatus.SeriesExpired);
        settle(callId, 50);
        says(order, IServiceRFQSettlement.OrderStatus.SeriesSettled);
    }

    function test_a_halted_series_says_so() external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        vm.prank(owner);
        core.setHalted(ids, true);
        says(someOrder(), IServiceRFQSettlement.OrderStatus.SeriesHalted);
    }

    function test_an_amount_that_the_word_does_not_hold_is_too_large() external {
        trade(callId, 1, 7);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.optionAmount = 2 ** 68 - 1;
        says(order, IServiceRFQSettlement.OrderStatus.AmountTooLarge);
        order.optionAmount = 2 ** 68 - 2;
        check(order, IServiceRFQSettlement.OrderStatus.MakerBalanceLow, 550_000 * order.optionAmount - FUNDS + 549_999);
    }

    function test_a_premium_may_equal_the_collateral_and_not_exceed_it() external view {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.premiumAmount = 250 * 550_000;
        says(order, IServiceRFQSettlement.OrderStatus.Fillable);
        order.premiumAmount += 1;
        says(order, IServiceRFQSettlement.OrderStatus.PremiumAboveCollateral);
    }

    function test_a_selling_maker_lacks_balance_then_allowance() external {
        setBalance(maker, 250 * 550_000 - 3);
        check(someOrder(), IServiceRFQSettlement.OrderStatus.MakerBalanceLow, 3);
        setBalance(maker, 250 * 550_000);
        says(someOrder(), IServiceRFQSettlement.OrderStatus.Fillable);
        approve(maker, address(core), 250 * 550_000 - 5);
        check(someOrder(), IServiceRFQSettlement.OrderStatus.MakerAllowanceLow, 5);
        approve(maker, address(core), 250 * 550_000);
        says(someOrder(), IServiceRFQSettlement.OrderStatus.Fillable);
    }

    function test_a_buying_maker_lacks_balance_then_allowance() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = false;
        setBalance(maker, 77_500_000 - 3);
        check(order, IServiceRFQSettlement.OrderStatus.MakerBalanceLow, 3);
        setBalance(maker, 77_500_000);
        approve(maker, address(settlement), 77_500_000 - 5);
        check(order, IServiceRFQSettlement.OrderStatus.MakerAllowanceLow, 5);
        approve(maker, address(settlement), 77_500_000);
        says(order, IServiceRFQSettlement.OrderStatus.Fillable);
    }

    function test_a_shortfall_counts_the_lesser_of_balance_and_allowance() external {
        setBalance(maker, 250 * 550_000 - 3);
        approve(maker, address(core), 1);
        check(someOrder(), IServiceRFQSettlement.OrderStatus.MakerBalanceLow, 250 * 550_000 - 1);
    }

    function test_maker_funds_come_before_signature_and_taker_funds() external {
        setBalance(taker, 0);
        expect(someOrder(), "", IServiceRFQSettlement.OrderStatus.SignatureInvalid, 0, 77_500_000, address(settlement));
        setBalance(maker, 0);
        expect(
            someOrder(),
            "",
            IServiceRFQSettlement.OrderStatus.MakerBalanceLow,
            250 * 550_000,
            77_500_000,
            address(settlement)
        );
    }

    function test_a_buying_taker_lacks_balance_then_allowance() external {
        setBalance(taker, 77_500_000 - 3);
        checkTaker(someOrder(), IServiceRFQSettlement.OrderStatus.TakerBalanceLow, 3);
        setBalance(taker, 77_500_000);
        approve(taker, address(settlement), 77_500_000 - 5);
        checkTaker(someOrder(), IServiceRFQSettlement.OrderStatus.TakerAllowanceLow, 5);
    }

    function test_a_writing_taker_lacks_balance_then_allowance() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = false;
        setBalance(taker, 250 * 550_000 - 3);
        checkTaker(order, IServiceRFQSettlement.OrderStatus.TakerBalanceLow, 3);
        setBalance(taker, 250 * 550_000);
        approve(taker, address(core), 250 * 550_000 - 5);
        checkTaker(order, IServiceRFQSettlement.OrderStatus.TakerAllowanceLow, 5);
    }

    function says(IServiceRFQSettlement.Order memory order, IServiceRFQSettlement.OrderStatus status) private view {
        expect(order, signed(order), status, 0, 0, spenderOf(order));
    }

    function check(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.OrderStatus status,
        uint256 makerShortfall
    ) private view {
        expect(order, signed(order), status, makerShortfall, 0, spenderOf(order));
    }

    function checkTaker(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.OrderStatus status,
        uint256 takerShortfall
    ) private view {
        expect(order, signed(order), status, 0, takerShortfall, spenderOf(order));
    }

    function spenderOf(IServiceRFQSettlement.Order memory order) private view returns (address) {
        return order.makerSelling ? address(settlement) : address(core);
    }

    function expect(
        IServiceRFQSettlement.Order memory order,
        bytes memory signature,
        IServiceRFQSettlement.OrderStatus status,
        uint256 makerShortfall,
        uint256 takerShortfall,
        address spender
    ) private view {
        (
            IServiceRFQSettlement.OrderStatus status_,
            uint256 makerShortfall_,
            uint256 takerShortfall_,
            address spender_
        ) = settlement.checkOrder(order, signature);
        vm.assertEq(uint256(status_), uint256(status), "status");
        vm.assertEq(makerShortfall_, makerShortfall, "maker's shortfall");
        vm.assertEq(takerShortfall_, takerShortfall, "taker's shortfall");
        vm.assertEq(spender_, spender, "spender");
    }

    function setBalance(address wallet, uint256 balance) private {
        uint256 has = usd.balanceOf(wallet);
        if (has < balance) {
            usd.mint(wallet, balance - has);
        } else {
            vm.prank(wallet);
            usd.transfer(stranger, has - balance);
        }
    }

    function approve(address wallet, address spender, uint256 amount) private {
        vm.prank(wallet);
        usd.approve(spender, amount);
    }
}
