// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title ManualResolutionTest
/// @notice The owner announces a price and executes it a day later.
contract ManualResolutionTest is World {
    uint256 private constant EARLIEST = EXPIRY + 3 days;

    function test_the_owner_announces_on_day_3_and_executes_on_day_4() external {
        vm.warp(EARLIEST);
        vm.expectEmit(address(core));
        emit IServiceCore.ManualResolutionProposed(callId, 70, uint64(EARLIEST + 24 hours));
        propose(70);
        vm.assertEq(core.manualProposalOf(callId).executableAt, EARLIEST + 24 hours, "executable at");
        vm.assertEq(core.manualProposalOf(callId).resolutionBps, 70, "price");
        vm.assertTrue(!seriesOf(callId).settled, "an announcement settles nothing");

        vm.warp(EARLIEST + 24 hours);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesSettled(callId, 70, uint64(EARLIEST + 24 hours));
        vm.expectEmit(address(core));
        emit IServiceCore.ManualResolutionExecuted(callId, 70);
        execute();
        vm.assertTrue(seriesOf(callId).settled, "settled");
        vm.assertEq(seriesOf(callId).resolutionBps, 70, "price");
    }

    function test_no_announcement_a_second_before_day_3() external {
        vm.warp(EARLIEST - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EARLIEST, EARLIEST - 1));
        propose(70);
    }

    function test_a_second_before_a_day_is_over_nothing_is_executed() external {
        vm.warp(EARLIEST);
        propose(70);
        vm.warp(EARLIEST + 24 hours - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EARLIEST + 24 hours, EARLIEST + 24 hours - 1));
        execute();
    }

    function test_a_new_announcement_restarts_the_notice() external {
        vm.warp(EARLIEST);
        propose(70);
        vm.warp(EARLIEST + 23 hours);
        propose(30);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EARLIEST + 47 hours, EARLIEST + 24 hours));
        execute();
        vm.warp(EARLIEST + 47 hours);
        execute();
        vm.assertEq(seriesOf(callId).resolutionBps, 30, "price");
    }

    function test_an_attestation_in_between_wins() external {
        vm.warp(EARLIEST);
        propose(70);
        settle(callId, 59);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        execute();
        vm.assertEq(seriesOf(callId).resolutionBps, 59, "price");
    }

    function test_a_settled_series_cannot_be_announced() external {
        settle(callId, 59);
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        propose(70);
    }

    function test_an_unknown_series_cannot_be_announced() external {
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vm.prank(owner);
        core.proposeManual(1, 70);
    }

    function test_a_price_above_100_cannot_be_announced() external {
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ResolutionOutOfRange.selector, 101));
        propose(101);
        propose(100);
        vm.assertEq(core.manualProposalOf(callId).resolutionBps, 100, "price");
    }

    function test_an_announcement_lapses_after_48_hours() external {
        vm.warp(EARLIEST);
        propose(70);
        uint256 last = EARLIEST + 72 hours;
        vm.warp(last + 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooLate.selector, last, last + 1));
        execute();
        vm.warp(last);
        execute();
        vm.assertEq(seriesOf(callId).resolutionBps, 70, "price");
    }

    function test_an_announcement_that_lapsed_can_be_made_again() external {
        vm.warp(EARLIEST);
        propose(70);
        vm.warp(EARLIEST + 30 days);
        propose(71);
        vm.warp(EARLIEST + 31 days);
        execute();
        vm.assertEq(seriesOf(callId).resolutionBps, 71, "price");
    }

    function test_without_an_announcement_nothing_is_executed() external {
        vm.warp(EARLIEST + 365 days);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId));
        execute();
    }

    function test_an_announcement_for_one_series_is_none_for_another() external {
        vm.warp(EARLIEST);
        propose(70);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, putId));
        vm.prank(owner);
        core.executeManual(putId);
    }

    function test_only_the_owner_announces_and_executes() external {
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, signer));
        vm.prank(signer);
        core.proposeManual(callId, 70);
        propose(70);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, signer));
        vm.prank(signer);
        core.executeManual(callId);
    }

    function propose(uint16 resolutionBps) private {
        vm.prank(owner);
        core.proposeManual(callId, resolutionBps);
    }

    function execute() private {
        vm.prank(owner);
        core.executeManual(callId);
    }
}
