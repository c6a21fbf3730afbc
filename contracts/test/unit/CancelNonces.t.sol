// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

contract CancelNoncesTest is World {
    function test_a_cancelled_order_cannot_be_filled_although_its_maker_signed_it() external {
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

    function test_nobody_cancels_anothers_nonce() external {
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

    function test_a_mask_leaves_used_nonces_used_and_reports_only_the_new_ones() external {
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
}
