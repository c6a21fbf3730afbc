// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";

/// @title FillBatchTest
/// @notice A batch fills all of its orders or none.
contract FillBatchTest is World {
    function test_a_batch_fills_every_order() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(3);
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
        vm.assertEq(core.balanceOf(taker, callId), 750, "longs");
        vm.assertEq(core.shortOf(callId, maker), 750, "shorts");
        vm.assertEq(usd.balanceOf(taker), FUNDS - 3 * 77_500_000, "premiums");
        for (uint256 i = 0; i < 3; ++i) {
            vm.assertTrue(settlement.isNonceUsed(maker, i), "nonce");
        }
    }

    function test_a_batch_may_mix_sides_and_series() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(2);
        orders[1].makerSelling = false;
        orders[1].seriesId = putId;
        signatures[1] = signed(orders[1]);
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
        vm.assertEq(core.balanceOf(taker, callId), 250, "bought");
        vm.assertEq(core.shortOf(putId, taker), 250, "written");
    }

    function test_one_bad_order_undoes_the_whole_batch() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(3);
        signatures[2] = signatures[1];
        vm.expectRevert(
            abi.encodeWithSelector(
                IServiceRFQSettlement.SignatureInvalid.selector, maker, settlement.hashOrder(orders[2])
            )
        );
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
        vm.assertEq(core.balanceOf(taker, callId), 0, "longs");
        vm.assertTrue(!settlement.isNonceUsed(maker, 0), "nonce");
    }

    function test_the_same_order_twice_in_a_batch_is_refused() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(2);
        orders[1] = orders[0];
        signatures[1] = signatures[0];
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
    }

    function test_a_batch_with_another_takers_order_is_refused() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(2);
        orders[1].taker = stranger;
        signatures[1] = signed(orders[1]);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, taker, stranger));
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
    }

    function test_an_empty_batch_is_refused() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.BatchEmpty.selector));
        vm.prank(taker);
        settlement.fillBatch(new IServiceRFQSettlement.Order[](0), new bytes[](0));
    }

    function test_a_batch_needs_one_signature_an_order() external {
        (IServiceRFQSettlement.Order[] memory orders,) = batch(2);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.BatchLengthMismatch.selector, 2, 3));
        vm.prank(taker);
        settlement.fillBatch(orders, new bytes[](3));
    }

    function batch(uint256 size)
        private
        view
        returns (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures)
    {
        orders = new IServiceRFQSettlement.Order[](size);
        signatures = new bytes[](size);
        for (uint256 i = 0; i < size; ++i) {
            orders[i] = someOrder();
            orders[i].nonce = i;
            signatures[i] = signed(orders[i]);
        }
    }
}
