// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";

/// @title CancelNoncesTest
/// @notice A maker cancels its nonces singly, by mask or by range.
contract CancelNoncesTest is World {
    function test_a_cancelled_order_cannot_be_filled() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.NonceCancelled(maker, 0);
        vm.prank(maker);
        settlement.cancelNonce(0);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_cancelling_a_filled_nonce_says_that_it_came_too_late() external {
        fill(someOrder());
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
        vm.prank(maker);
        settlement.cancelNonce(0);
    }

    function test_no_one_cancels_anothers_nonce() external {
        vm.prank(stranger);
        settlement.cancelNonce(0);
        vm.prank(stranger);
        settlement.cancelNonces(0, type(uint256).max);
        fill(someOrder());
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_mask_cancels_its_nonces_and_no_others() external {
        vm.prank(maker);
        settlement.cancelNonces(2, 5);
        vm.assertTrue(settlement.isNonceUsed(maker, 512), "bit 0");
        vm.assertTrue(!settlement.isNonceUsed(maker, 513), "bit 1");
        vm.assertTrue(settlement.isNonceUsed(maker, 514), "bit 2");
        vm.assertTrue(!settlement.isNonceUsed(maker, 0), "another word");
        vm.assertTrue(!settlement.isNonceUsed(maker, 256), "another word");
    }

    function test_a_mask_reports_only_newly_used_nonces() external {
        fill(someOrder());
        vm.prank(maker);
        settlement.cancelNonces(0, 6);
        vm.assertTrue(settlement.isNonceUsed(maker, 0), "the filled one stays used");
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.NoncesCancelled(maker, 0, 8);
        vm.prank(maker);
        settlement.cancelNonces(0, 15);
        vm.assertTrue(settlement.isNonceUsed(maker, 2), "the cancelled ones stay used");
        vm.assertTrue(settlement.isNonceUsed(maker, 3), "new");
    }

    function test_a_range_cancels_its_nonces_and_no_others() external {
        expectRange(300, 300);
        expectRange(250, 260);
        expectRange(256, 511);
        expectRange(0, 1023);
        expectRange(257, 1023);
        expectRange(0, 510);
    }

    function test_a_range_tells_word_by_word_what_was_unused_until_now() external {
        vm.prank(maker);
        settlement.cancelNonce(255);
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.NoncesCancelled(maker, 0, 1 << 254);
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.NoncesCancelled(maker, 1, 3);
        vm.prank(maker);
        settlement.cancelNonceRange(254, 257);
    }

    function test_the_last_nonces_there_are_can_be_cancelled() external {
        uint256 last = type(uint256).max;
        vm.prank(maker);
        settlement.cancelNonceRange(last - 300, last);
        vm.assertTrue(settlement.isNonceUsed(maker, last) && settlement.isNonceUsed(maker, last - 300), "cancelled");
        vm.assertTrue(!settlement.isNonceUsed(maker, last - 301), "no other");
    }

    function test_a_range_that_ends_before_it_starts_is_refused() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceRangeEmpty.selector, 5, 4));
        vm.prank(maker);
        settlement.cancelNonceRange(5, 4);
    }

    function test_a_range_cancels_only_the_callers_nonces() external {
        vm.prank(stranger);
        settlement.cancelNonceRange(0, 511);
        fill(someOrder());
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function expectRange(uint256 first, uint256 last) private {
        uint256 before = vm.snapshotState();
        vm.prank(maker);
        settlement.cancelNonceRange(first, last);
        for (uint256 nonce = 0; nonce < 1100; ++nonce) {
            bool isInside = nonce >= first && nonce <= last;
            vm.assertTrue(settlement.isNonceUsed(maker, nonce) == isInside, vm.toString(nonce));
        }
        vm.revertToState(before);
    }
}
