// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title HaltSeriesTest
/// @notice Owner, guardian and halter halt series, and the owner resumes them.
contract HaltSeriesTest is World {
    function test_the_owner_halts_several_series_at_once() external {
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesHaltChanged(callId, true);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesHaltChanged(putId, true);
        halt(true);
        vm.assertTrue(seriesOf(callId).halted && seriesOf(putId).halted, "halted");
        halt(false);
        vm.assertTrue(!seriesOf(callId).halted && !seriesOf(putId).halted, "resumed");
    }

    function test_the_guardian_halts_and_cannot_resume() external {
        haltsAndCannotResume(guardian);
    }

    function test_the_halter_halts_and_cannot_resume() external {
        haltsAndCannotResume(halter);
    }

    function test_a_halt_of_a_halted_series_changes_nothing() external {
        halt(true);
        halt(true);
        vm.assertTrue(seriesOf(callId).halted && seriesOf(putId).halted, "halted");
        halt(false);
        vm.assertTrue(!seriesOf(callId).halted && !seriesOf(putId).halted, "resumed");
    }

    function test_no_one_else_halts_or_resumes() external {
        address[3] memory others = [stranger, registrar, signer];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Halter, others[i]));
            vm.prank(others[i]);
            core.setHalted(new uint256[](0), true);
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, others[i]));
            vm.prank(others[i]);
            core.setHalted(new uint256[](0), false);
        }
    }

    function test_an_unknown_series_cannot_be_halted() external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = 1;
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vm.prank(owner);
        core.setHalted(ids, true);
    }

    function test_a_halt_stops_no_exit() external {
        trade(callId, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 4, "");
        halt(true);
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, 4, maker), 4 * 550_000, "closed");
        settle(callId, 60);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 6), 6 * 150_000, "holder");
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(callId), 6 * 400_000, "writer");
        vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
    }

    function haltsAndCannotResume(address account) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesHaltChanged(callId, true);
        vm.prank(account);
        core.setHalted(ids, true);
        vm.assertTrue(seriesOf(callId).halted, "halted");
        vm.assertTrue(!seriesOf(putId).halted, "its sibling is not");
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, account));
        vm.prank(account);
        core.setHalted(ids, false);
    }

    function halt(bool halted) private {
        uint256[] memory ids = new uint256[](2);
        ids[0] = callId;
        ids[1] = putId;
        vm.prank(owner);
        core.setHalted(ids, halted);
    }
}
