// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title ManualResolutionTest
/// @notice The owner announces a price and executes it a day later.
contract ManualResolutionTest is PricesWorld {
    uint256 private constant EARLIEST = EXPIRY + 3 days;

    function test_the_owner_announces_on_day_3_and_executes_on_day_4() external {
        vm.warp(EARLIEST);
        vm.expectEmit(address(core));
        emit IServiceCore.ManualResolutionProposed(callId, 70, uint64(EARLIEST + 24 hours));
        announce(callId, 70);
        vm.assertEq(core.manualProposalOf(callId).executableAt, EARLIEST + 24 hours, "executable at");
        vm.assertEq(core.manualProposalOf(callId).resolutionBps, 70, "price");
        vm.assertTrue(!core.manualProposalOf(callId).vetoed, "not vetoed");
        expectNoPrice(callId);

        vm.warp(EARLIEST + 24 hours);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesSettled(callId, 70, uint64(EARLIEST + 24 hours));
        vm.expectEmit(address(core));
        emit IServiceCore.ManualResolutionExecuted(callId, 70);
        execute(callId);
        vm.assertTrue(seriesOf(callId).settled, "settled");
        vm.assertEq(seriesOf(callId).resolutionBps, 70, "price");
    }

    function test_no_announcement_a_second_before_day_3() external {
        vm.warp(EARLIEST - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EARLIEST, EARLIEST - 1));
        announce(callId, 70);
    }

    function test_a_second_before_a_day_is_over_nothing_is_executed() external {
        vm.warp(EARLIEST);
        announce(callId, 70);
        vm.warp(EARLIEST + 24 hours - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EARLIEST + 24 hours, EARLIEST + 24 hours - 1));
        execute(callId);
    }

    function test_a_new_announcement_restarts_the_notice() external {
        vm.warp(EARLIEST);
        announce(callId, 70);
        vm.warp(EARLIEST + 23 hours);
        announce(callId, 30);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EARLIEST + 47 hours, EARLIEST + 24 hours));
        execute(callId);
        vm.warp(EARLIEST + 47 hours);
        execute(callId);
        vm.assertEq(seriesOf(callId).resolutionBps, 30, "price");
    }

    function test_an_attestation_in_between_wins() external {
        vm.warp(EARLIEST);
        announce(callId, 70);
        settle(callId, 59);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        execute(callId);
        vm.assertEq(seriesOf(callId).resolutionBps, 59, "price");
    }

    function test_a_settled_series_cannot_be_announced() external {
        settle(callId, 59);
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        announce(callId, 70);
    }

    function test_an_unknown_series_cannot_be_announced() external {
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        announce(1, 70);
    }

    function test_a_price_above_100_cannot_be_announced() external {
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ResolutionOutOfRange.selector, 101));
        announce(callId, 101);
        announce(callId, 100);
        vm.assertEq(core.manualProposalOf(callId).resolutionBps, 100, "price");
    }

    function test_an_announcement_lapses_after_48_hours() external {
        vm.warp(EARLIEST);
        announce(callId, 70);
        uint256 last = EARLIEST + 72 hours;
        vm.warp(last + 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooLate.selector, last, last + 1));
        execute(callId);
        vm.warp(last);
        execute(callId);
        vm.assertEq(seriesOf(callId).resolutionBps, 70, "price");
    }

    function test_an_announcement_that_lapsed_can_be_made_again() external {
        vm.warp(EARLIEST);
        announce(callId, 70);
        vm.warp(EARLIEST + 30 days);
        announce(callId, 71);
        vm.warp(EARLIEST + 31 days);
        execute(callId);
        vm.assertEq(seriesOf(callId).resolutionBps, 71, "price");
    }

    function test_without_an_announcement_nothing_is_executed() external {
        vm.warp(EARLIEST + 365 days);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId));
        execute(callId);
    }

    function test_an_announcement_is_for_all_series_of_the_fixing() external {
        vm.warp(EARLIEST);
        announce(callId, 70);
        vm.assertEq(core.manualProposalOf(putId).executableAt, EARLIEST + 24 hours, "executable at");
        vm.assertEq(core.manualProposalOf(putId).resolutionBps, 70, "price");
        vm.warp(EARLIEST + 24 hours);
        execute(putId);
        expectPrice(callId, 70, EARLIEST + 24 hours);
        expectPrice(putId, 70, EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 70));
        execute(callId);
    }

    function test_an_announcement_for_one_fixing_is_none_for_another() external {
        uint256 other = createSeries(4500, EXPIRY - 1, 0);
        vm.warp(EARLIEST);
        announce(callId, 70);
        vm.assertEq(core.manualProposalOf(other).executableAt, 0, "none");
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, other));
        execute(other);
    }

    function test_a_series_says_from_when_the_owner_announces() external {
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EARLIEST, "with a signer");
        revokeSigner();
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EXPIRY + 7 days, "without one, since before the expiry");
        vm.assertEq(core.manualProposalOf(callId).executableAt, 0, "no announcement");
    }

    function test_without_a_signer_the_owner_announces_seven_days_after_expiry() external {
        revokeSigner();
        vm.warp(EXPIRY + 7 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 7 days, EXPIRY + 7 days - 1));
        announce(callId, 70);
        vm.warp(EXPIRY + 7 days);
        announce(callId, 70);
        vm.warp(EXPIRY + 8 days);
        execute(callId);
        expectPrice(callId, 70, EXPIRY + 8 days);
    }

    function test_or_seven_days_after_the_vacancy_that_came_later() external {
        vm.warp(EXPIRY + 10 days);
        revokeSigner();
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EXPIRY + 17 days, "says when");
        vm.warp(EXPIRY + 17 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 17 days, EXPIRY + 17 days - 1));
        announce(callId, 70);
        vm.warp(EXPIRY + 17 days);
        announce(callId, 70);
        vm.assertEq(core.manualProposalOf(callId).executableAt, EXPIRY + 18 days, "executable at");
    }

    function test_a_new_signer_ends_the_longer_time_of_the_owner() external {
        propose(IRoles.Role.ResolutionSigner, next);
        revokeSigner();
        vm.warp(START + 3 days);
        confirm(IRoles.Role.ResolutionSigner, next);
        vm.warp(EARLIEST);
        announce(callId, 70);
        vm.assertEq(core.manualProposalOf(callId).executableAt, EARLIEST + 24 hours, "executable at");
    }

    /// @dev Without a conditional-token contract the times are the same.
    function test_times_of_the_owner_are_those_of_a_core_without_a_last_resort() external {
        (core, settlement) = deploy(address(usd));
        createSeries(4500, EXPIRY, 0);
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EARLIEST, "with a signer");
        revokeSigner();
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EXPIRY + 7 days, "without one");
    }

    function test_only_the_owner_announces_and_executes() external {
        vm.warp(EARLIEST);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, signer));
        vm.prank(signer);
        core.proposeManual(callId, 70);
        announce(callId, 70);
        vm.warp(EARLIEST + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, signer));
        vm.prank(signer);
        core.executeManual(callId);
    }
}
