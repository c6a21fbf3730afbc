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
        vm.assertTrue(seriesOf(callId).vetoed && !seriesOf(callId).settled, "and so is its leg");
    }

    function test_a_price_of_a_package_is_that_of_its_legs() external {
        settle(spreadId, 52);
        vm.assertEq(core.payoff(spreadId), 70_000, "package");
        vm.assertEq(core.payoff(callId), 70_000, "its first leg");
        vm.assertEq(core.payoff(otherLegId), 0, "its second leg");
        vm.assertEq(core.payoff(putId), 0, "a series that is not a leg of it");
    }

    function test_a_price_of_a_leg_is_that_of_its_packages() external {
        uint256 credit = createPackage(leg(-1, 0, 4500) | leg(1, 0, 6500) << 32);
        settle(otherLegId, 52);
        vm.assertEq(core.payoff(spreadId), 70_000, "spread");
        vm.assertEq(core.payoff(credit), 130_000, "the other side of it");
    }

    /// @dev A package is a series of its own.
    function test_a_halt_of_a_leg_leaves_its_packages_open() external {
        halt(callId, true);
        trade(spreadId, 1, 0);
        vm.assertEq(core.balanceOf(taker, spreadId), 1, "long");
    }

    function test_a_package_is_halted_by_itself() external {
        halt(spreadId, true);
        vm.assertTrue(seriesOf(spreadId).halted, "halted");
        vm.assertTrue(!seriesOf(callId).halted, "its leg is not");
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.premiumAmount) = (spreadId, 1);
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, spreadId));
        vm.prank(taker);
        settlement.fill(order, signature);
        halt(spreadId, false);
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_a_halted_package_still_closes_settles_and_pays() external {
        trade(spreadId, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, spreadId, 4, "");
        halt(spreadId, true);
        vm.prank(maker);
        core.closePosition(spreadId, 4, maker);
        settle(spreadId, 52);
        vm.prank(taker);
        core.claimHolderPayout(spreadId, 6);
        vm.prank(maker);
        core.claimWriterCollateral(spreadId);
        vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
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
