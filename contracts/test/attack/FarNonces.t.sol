// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title FarNoncesTest
/// @notice Nonces work where the relay allots them: 20 random bits of its store, then 32 bits of count (decision C7).
contract FarNoncesTest is World {
    uint256 private constant FIRST = 0xABCDE << 32;

    function test_nonces_that_differ_in_any_one_bit_are_two() external {
        fillAt(FIRST);
        for (uint256 bit = 0; bit < 256; ++bit) {
            uint256 nonce = FIRST ^ (1 << bit);
            vm.assertTrue(!settlement.isNonceUsed(maker, nonce), "used by another");
            check(nonce, IServiceRFQSettlement.OrderStatus.Fillable);
            fillAt(nonce);
            check(nonce, IServiceRFQSettlement.OrderStatus.NonceUsed);
        }
        vm.assertEq(core.shortOf(callId, maker), 257, "every order filled");
    }

    function test_a_far_order_is_cancelled_by_its_number() external {
        vm.prank(maker);
        settlement.cancelNonce(FIRST + 5);
        check(FIRST + 5, IServiceRFQSettlement.OrderStatus.NonceUsed);
        check(5, IServiceRFQSettlement.OrderStatus.Fillable);
        check(FIRST + 4, IServiceRFQSettlement.OrderStatus.Fillable);
        refuses(FIRST + 5);
    }

    function test_far_orders_are_cancelled_by_a_mask() external {
        vm.prank(maker);
        settlement.cancelNonces(FIRST >> 8, 1 << 5);
        check(FIRST + 5, IServiceRFQSettlement.OrderStatus.NonceUsed);
        check(FIRST + 4, IServiceRFQSettlement.OrderStatus.Fillable);
        refuses(FIRST + 5);
        fillAt(FIRST + 4);
    }

    function orderAt(uint256 nonce) private view returns (IServiceRFQSettlement.Order memory order) {
        order = someOrder();
        order.optionAmount = 1;
        order.premiumAmount = 1;
        order.nonce = nonce;
    }

    function fillAt(uint256 nonce) private {
        fill(orderAt(nonce));
    }

    function check(uint256 nonce, IServiceRFQSettlement.OrderStatus expected) private view {
        IServiceRFQSettlement.Order memory order = orderAt(nonce);
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signed(order));
        vm.assertEq(uint256(status), uint256(expected), "status");
    }

    function refuses(uint256 nonce) private {
        IServiceRFQSettlement.Order memory order = orderAt(nonce);
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, nonce));
        vm.prank(taker);
        settlement.fill(order, signature);
    }
}
