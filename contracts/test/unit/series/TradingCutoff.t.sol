// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";

/// @title TradingCutoffTest
/// @notice Trading of a series ends half an hour before its expiry.
contract TradingCutoffTest is World {
    uint64 private constant CUTOFF = 30 minutes;
    uint64 private constant END = EXPIRY - CUTOFF;

    uint256 private spread = leg(1, 0, 4500) | leg(-1, 0, 6500) << 32;

    function setUp() public override {
        super.setUp();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.tradingCutoff = CUTOFF;
        (core, settlement) = deploy(setup);
        createSeries(4500, EXPIRY, 0);
        createSeries(4500, EXPIRY, 1);
        createSeries(6500, EXPIRY, 0);
        fund(maker);
        fund(taker);
    }

    function test_the_core_says_when_trading_ends() external view {
        vm.assertEq(core.TRADING_CUTOFF(), CUTOFF, "cut-off");
        vm.assertEq(seriesOf(callId).tradingEndsAt, END, "trading ends at");
        vm.assertEq(seriesOf(callId).expiry, EXPIRY, "expiry");
    }

    function test_an_order_fills_to_the_last_second_before_the_cut_off() external {
        vm.warp(END - 1);
        fill(lateOrder());
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_fill_is_refused_from_the_cut_off_on() external {
        IServiceRFQSettlement.Order memory order = lateOrder();
        bytes memory signature = signed(order);
        uint64[3] memory times = [END, EXPIRY - 1, EXPIRY];
        for (uint256 i = 0; i < times.length; ++i) {
            vm.warp(times[i]);
            vm.expectRevert(ended(callId));
            vm.prank(taker);
            settlement.fill(order, signature);
        }
    }

    function test_inventory_is_not_sold_from_the_cut_off_on() external {
        fill(someOrder());
        vm.prank(taker);
        core.setApprovalForAll(address(settlement), true);
        IServiceRFQSettlement.Order memory order = lateOrder();
        (order.makerSelling, order.nonce) = (false, 1);
        bytes memory signature = signed(order);
        vm.warp(END);
        vm.expectRevert(ended(callId));
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 250, 0, address(0), 0);
        vm.warp(END - 1);
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 250, 0, address(0), 0);
        vm.assertEq(core.balanceOf(maker, callId), 250, "sold");
    }

    function test_a_halt_stops_trading_before_the_cut_off() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        vm.prank(halter);
        core.setHalted(ids, true);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_no_package_is_registered_from_the_cut_off_on() external {
        vm.warp(END);
        vm.expectRevert(ended(callId));
        createPackage(spread);
        vm.warp(END - 1);
        vm.assertEq(seriesOf(createPackage(spread)).tradingEndsAt, END, "trading of the package ends at");
    }

    function test_a_package_trades_to_the_cut_off() external {
        uint256 id = createPackage(spread);
        IServiceRFQSettlement.Order memory order = lateOrder();
        (order.seriesId, order.premiumAmount) = (id, 1);
        bytes memory signature = signed(order);
        vm.warp(END);
        vm.expectRevert(ended(id));
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.warp(END - 1);
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_an_order_check_says_that_trading_has_ended() external {
        IServiceRFQSettlement.Order memory order = lateOrder();
        bytes memory signature = signed(order);
        vm.warp(END - 1);
        says(order, signature, IServiceRFQSettlement.OrderStatus.Fillable);
        vm.warp(END);
        says(order, signature, IServiceRFQSettlement.OrderStatus.SeriesExpired);
    }

    function test_a_price_comes_at_the_expiry_and_no_sooner() external {
        vm.warp(EXPIRY - 1);
        bytes memory signature = attestation(callId, 60, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotExpired.selector, callId, EXPIRY));
        core.settleWithAttestation(callId, 60, EXPIRY, signature);
        vm.warp(EXPIRY);
        core.settleWithAttestation(callId, 60, EXPIRY, signature);
        vm.assertEq(seriesOf(callId).resolutionBps, 60, "price");
    }

    function test_the_owner_and_the_market_count_from_the_expiry() external view {
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EXPIRY + 3 days, "the owner announces from");
        vm.assertEq(core.lastResortAt(callId), EXPIRY + 30 days, "the market is asked from");
    }

    function test_closes_stay_open_after_the_cut_off() external {
        fill(someOrder());
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 250, "");
        vm.warp(END);
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, 250, maker), 250 * 550_000, "returned");
    }

    function test_series_are_registered_to_the_expiry_itself() external {
        vm.warp(END);
        uint256 id = createSeries(5000, EXPIRY, 0);
        vm.assertEq(seriesOf(id).tradingEndsAt, END, "trading has ended already");
    }

    function lateOrder() private view returns (IServiceRFQSettlement.Order memory order) {
        order = someOrder();
        order.validUntil = EXPIRY;
    }

    function ended(uint256 seriesId) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IServiceCore.TradingEnded.selector, seriesId, END);
    }

    function says(
        IServiceRFQSettlement.Order memory order,
        bytes memory signature,
        IServiceRFQSettlement.OrderStatus expected
    ) private view {
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signature);
        vm.assertEq(uint256(status), uint256(expected), "status");
    }
}
