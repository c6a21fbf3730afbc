// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";

/// @title PackageTest
/// @notice Packages fill, settle, halt and pay as calls and puts do.
contract PackageTest is World {
    uint64 private constant FINAL_AT = EXPIRY + 2 hours;

    uint256 private spread = leg(1, 0, 4500) | leg(-1, 0, 6500) << 32;
    uint256 private spreadId;
    uint256 private otherLegId;

    function setUp() public override {
        super.setUp();
        otherLegId = createSeries(6500, EXPIRY, 0);
        spreadId = createPackage(spread);
    }

    function test_a_fill_locks_the_most_that_the_package_can_pay() external {
        trade(spreadId, 10, 0);
        vm.assertEq(core.balanceOf(taker, spreadId), 10, "long");
        vm.assertEq(core.shortOf(spreadId, maker), 10, "short");
        vm.assertEq(usd.balanceOf(address(core)), 10 * 200_000, "locked");
    }

    function test_a_premium_is_at_most_what_the_package_can_pay() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.optionAmount, order.premiumAmount) = (spreadId, 10, 2_000_001);
        bytes memory signature = signed(order);
        vm.expectRevert(
            abi.encodeWithSelector(IServiceRFQSettlement.PremiumAboveCollateral.selector, 2_000_001, 2_000_000)
        );
        vm.prank(taker);
        settlement.fill(order, signature);
        order.premiumAmount = 2_000_000;
        fill(order);
    }

    function test_an_attested_price_pays_the_sum_of_the_legs() external {
        uint16[5] memory prices = [uint16(0), 45, 52, 65, 100];
        uint32[5] memory pays = [uint32(0), 0, 70_000, 200_000, 200_000];
        trade(spreadId, 10, 0);
        for (uint256 i = 0; i < prices.length; ++i) {
            uint256 before = vm.snapshotState();
            settle(spreadId, prices[i]);
            vm.assertEq(core.payoff(spreadId), pays[i], "payoff");
            vm.prank(taker);
            vm.assertEq(core.claimHolderPayout(spreadId, 10), uint256(10) * pays[i], "holder");
            vm.prank(maker);
            vm.assertEq(core.claimWriterCollateral(spreadId), uint256(10) * (200_000 - pays[i]), "writer");
            vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
            vm.revertToState(before);
        }
    }

    function test_a_package_of_a_loss_pays_what_is_above_its_floor() external {
        uint256 id = createPackage(leg(-1, 0, 4500) | leg(1, 0, 6500) << 32);
        settle(id, 52);
        vm.assertEq(core.payoff(id), 200_000 - 70_000, "payoff");
    }

    function test_the_owners_price_settles_a_package() external {
        vm.warp(EXPIRY + 3 days);
        vm.prank(owner);
        core.proposeManual(spreadId, 52);
        vm.warp(EXPIRY + 4 days);
        vm.prank(owner);
        core.executeManual(spreadId);
        vm.assertEq(core.payoff(spreadId), 70_000, "payoff");
    }

    function test_a_veto_takes_the_payoff_of_a_package_back() external {
        withWindow();
        settle(spreadId, 52);
        vm.prank(guardian);
        core.vetoSeries(spreadId);
        vm.assertEq(seriesOf(spreadId).payoff, 0, "payoff");
        vm.assertTrue(seriesOf(spreadId).vetoed, "vetoed");
    }

    function test_a_package_and_its_leg_contradict_each_other() external {
        withWindow();
        settle(spreadId, 52);
        settle(callId, 53);
        vm.expectEmit(address(core));
        emit IServiceCore.PricesContradicted(spreadId, callId);
        core.contradict(packageTerms(spread), termsOf(4500, EXPIRY, 0));
        vm.assertTrue(seriesOf(spreadId).vetoed && seriesOf(callId).vetoed, "vetoed");
    }

    function test_anyone_halts_a_package_whose_leg_is_halted() external {
        halt(otherLegId, true);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesHaltChanged(spreadId, true);
        vm.prank(stranger);
        core.haltPackage(packageTerms(spread), 1);
        vm.assertTrue(seriesOf(spreadId).halted, "halted");
        IServiceRFQSettlement.Order memory order = someOrder();
        order.seriesId = spreadId;
        order.premiumAmount = 1;
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, spreadId));
        vm.prank(taker);
        settlement.fill(order, signature);

        // The event is emitted once.
        haltIsRefused(spread, 1, abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, spreadId));
        halt(spreadId, false);
        vm.assertTrue(!seriesOf(spreadId).halted, "resumed by the owner");
    }

    function test_a_package_is_not_halted_for_a_leg_that_is_not() external {
        haltIsRefused(spread, 0, abi.encodeWithSelector(IServiceCore.SeriesNotHalted.selector, callId));
        halt(otherLegId, true);
        haltIsRefused(spread, 0, abi.encodeWithSelector(IServiceCore.SeriesNotHalted.selector, callId));
        uint256 none = idOf(termsOf(0, EXPIRY, 0));
        haltIsRefused(spread, 2, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, none));
        haltIsRefused(spread, 8, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, none));
    }

    function test_a_package_is_halted_for_its_put_by_the_halt_of_that_put() external {
        uint256 straddle = leg(1, 0, 4500) | leg(1, 1, 4500) << 32;
        uint256 id = createPackage(straddle);
        halt(callId, true);
        haltIsRefused(straddle, 1, abi.encodeWithSelector(IServiceCore.SeriesNotHalted.selector, putId));
        halt(callId, false);
        halt(putId, true);
        core.haltPackage(packageTerms(straddle), 1);
        vm.assertTrue(seriesOf(id).halted, "halted");
    }

    function test_terms_of_no_package_are_not_halted() external {
        uint256 other = leg(1, 0, 4500) | leg(-2, 0, 6500) << 32;
        haltIsRefused(other, 0, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, idOf(packageTerms(other))));
        // The terms of a put, read as legs, would name the call of its strike.
        halt(callId, true);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.NotPackage.selector, putId));
        core.haltPackage(termsOf(4500, EXPIRY, 1), 0);
    }

    function test_a_halted_package_still_closes_settles_and_pays() external {
        trade(spreadId, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, spreadId, 4, "");
        halt(callId, true);
        core.haltPackage(packageTerms(spread), 0);
        vm.prank(maker);
        core.closePosition(spreadId, 4, maker);
        settle(spreadId, 52);
        vm.prank(taker);
        core.claimHolderPayout(spreadId, 6);
        vm.prank(maker);
        core.claimWriterCollateral(spreadId);
        vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
    }

    function haltIsRefused(uint256 legs, uint256 index, bytes memory reason) private {
        vm.expectRevert(reason);
        core.haltPackage(packageTerms(legs), index);
    }

    function halt(uint256 id, bool halted) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = id;
        vm.prank(owner);
        core.setHalted(ids, halted);
    }

    /// @dev Registers the same series on a core with a dispute window.
    function withWindow() private {
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.disputeWindow = FINAL_AT - EXPIRY;
        (core, settlement) = deploy(setup);
        createSeries(4500, EXPIRY, 0);
        createSeries(6500, EXPIRY, 0);
        createPackage(spread);
    }
}
