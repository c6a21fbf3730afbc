// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title ClaimTest
/// @notice Holders claim payouts and writers claim collateral of a settled series.
contract ClaimTest is World {
    function setUp() public override {
        super.setUp();
        trade(callId, 10, 0);
        trade(putId, 10, 1);
    }

    function test_a_holder_burns_options_for_their_payoff() external {
        settle(callId, 60);
        vm.expectEmit(address(core));
        emit IServiceCore.HolderPayoutClaimed(callId, taker, taker, 4, 4 * 150_000);
        uint256 before = usd.balanceOf(taker);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 4), 4 * 150_000, "payout");
        vm.assertEq(usd.balanceOf(taker) - before, 4 * 150_000, "paid");
        vm.assertEq(core.balanceOf(taker, callId), 6, "left");
    }

    function test_a_holder_can_have_the_payout_sent_elsewhere() external {
        settle(callId, 60);
        vm.expectEmit(address(core));
        emit IServiceCore.HolderPayoutClaimed(callId, taker, stranger, 10, 10 * 150_000);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayoutTo(callId, 10, stranger), 10 * 150_000, "payout");
        vm.assertEq(usd.balanceOf(stranger), 10 * 150_000, "paid");
    }

    function test_a_worthless_option_burns_and_pays_nothing() external {
        settle(callId, 45);
        uint256 before = usd.balanceOf(taker);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 10), 0, "payout");
        vm.assertEq(core.balanceOf(taker, callId), 0, "burned");
        vm.assertEq(usd.balanceOf(taker), before, "nothing is paid");
    }

    function test_a_holder_cannot_claim_more_than_it_holds() external {
        settle(callId, 60);
        vm.expectRevert(
            abi.encodeWithSelector(IERC1155Errors.ERC1155InsufficientBalance.selector, taker, 10, 11, callId)
        );
        vm.prank(taker);
        core.claimHolderPayout(callId, 11);
    }

    function test_a_claim_of_nothing_is_refused() external {
        settle(callId, 60);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AmountZero.selector));
        vm.prank(taker);
        core.claimHolderPayout(callId, 0);
    }

    function test_a_buyer_of_the_options_claims_for_them() external {
        vm.prank(taker);
        core.safeTransferFrom(taker, stranger, callId, 10, "");
        settle(callId, 60);
        vm.prank(stranger);
        vm.assertEq(core.claimHolderPayout(callId, 10), 10 * 150_000, "payout");
    }

    function test_a_writer_gets_back_what_its_holders_do_not() external {
        settle(callId, 60);
        vm.expectEmit(address(core));
        emit IServiceCore.WriterCollateralClaimed(callId, maker, maker, 10, 10 * 400_000);
        uint256 before = usd.balanceOf(maker);
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(callId), 10 * 400_000, "collateral");
        vm.assertEq(usd.balanceOf(maker) - before, 10 * 400_000, "paid");
        vm.assertEq(core.shortOf(callId, maker), 0, "short");
    }

    function test_a_writer_can_have_the_collateral_sent_elsewhere() external {
        settle(callId, 60);
        vm.expectEmit(address(core));
        emit IServiceCore.WriterCollateralClaimed(callId, maker, stranger, 10, 10 * 400_000);
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateralTo(callId, stranger), 10 * 400_000, "collateral");
        vm.assertEq(usd.balanceOf(stranger), 10 * 400_000, "paid");
    }

    function test_a_writer_of_options_that_pay_all_claims_nothing() external {
        settle(putId, 0);
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(putId), 0, "collateral");
        vm.assertEq(core.shortOf(putId, maker), 0, "short");
    }

    function test_a_writer_claims_once() external {
        settle(callId, 60);
        vm.prank(maker);
        core.claimWriterCollateral(callId);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.NothingWritten.selector, callId, maker));
        vm.prank(maker);
        core.claimWriterCollateral(callId);
    }

    function test_no_one_claims_before_settlement() external {
        vm.warp(EXPIRY + 365 days);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        vm.prank(taker);
        core.claimHolderPayout(callId, 1);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        vm.prank(maker);
        core.claimWriterCollateral(callId);
    }

    function test_no_one_claims_of_an_unknown_series() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vm.prank(taker);
        core.claimHolderPayout(1, 1);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vm.prank(maker);
        core.claimWriterCollateral(1);
    }

    function test_a_claim_is_not_paid_to_zero_or_the_core() external {
        settle(callId, 60);
        address[2] memory lost = [address(0), address(core)];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.RecipientInvalid.selector, lost[i]));
            vm.prank(taker);
            core.claimHolderPayoutTo(callId, 1, lost[i]);
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.RecipientInvalid.selector, lost[i]));
            vm.prank(maker);
            core.claimWriterCollateralTo(callId, lost[i]);
        }
    }

    function test_claims_have_no_deadline() external {
        settle(callId, 60);
        vm.warp(EXPIRY + 100 * 365 days);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 10), 10 * 150_000, "holder");
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(callId), 10 * 400_000, "writer");
    }
}
