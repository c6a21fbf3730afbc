// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title FillManyTest
/// @notice A list fills those of its orders that can be filled.
contract FillManyTest is World {
    function test_what_can_be_filled_is_filled_and_the_rest_is_not() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(3);
        signatures[1] = signatures[0];
        bool[] memory filled = fillMany(orders, signatures);
        vm.assertTrue(filled[0] && !filled[1] && filled[2], "filled");
        vm.assertEq(core.balanceOf(taker, callId), 500, "longs");
        vm.assertEq(usd.balanceOf(taker), FUNDS - 2 * 77_500_000, "premiums");
        vm.assertTrue(settlement.isNonceUsed(maker, 0) && settlement.isNonceUsed(maker, 2), "nonces of what was filled");
        vm.assertTrue(!settlement.isNonceUsed(maker, 1), "the other stays good");
    }

    function test_orders_of_another_taker_are_not_filled() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(2);
        orders[1].taker = stranger;
        signatures[1] = signed(orders[1]);
        bool[] memory filled = fillMany(orders, signatures);
        vm.assertTrue(filled[0] && !filled[1], "filled");
        vm.prank(stranger);
        filled = settlement.fillMany(orders, signatures);
        vm.assertTrue(!filled[0] && !filled[1], "a stranger without money fills nothing");
    }

    function test_the_same_order_twice_is_filled_once() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(2);
        (orders[1], signatures[1]) = (orders[0], signatures[0]);
        bool[] memory filled = fillMany(orders, signatures);
        vm.assertTrue(filled[0] && !filled[1], "filled");
        vm.assertEq(core.balanceOf(taker, callId), 250, "longs");
    }

    function test_a_maker_that_burns_gas_leaves_enough_for_the_others() external {
        GasBurner burner = new GasBurner();
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(3);
        orders[0].maker = address(burner);
        orders[1].maker = address(burner);
        uint256 before = gasleft();
        vm.prank(taker);
        bool[] memory filled = settlement.fillMany{gas: 2_000_000}(orders, signatures);
        vm.assertTrue(!filled[0] && !filled[1] && filled[2], "filled");
        vm.assertTrue(before - gasleft() < 2 * 620_000 + 300_000, "at most its share each");
    }

    /// @dev Otherwise an estimate of gas would find the least at which every order fails.
    function test_with_too_little_gas_for_an_order_nothing_is_filled() external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures) = batch(2);
        vm.prank(taker);
        (bool passed, bytes memory reason) =
            address(settlement).call{gas: 700_000}(abi.encodeCall(settlement.fillMany, (orders, signatures)));
        vm.assertTrue(!passed, "passed");
        vm.assertEq(bytes32(bytes4(reason)), bytes32(IServiceRFQSettlement.GasTooLow.selector), "reason");
        vm.assertEq(core.balanceOf(taker, callId), 0, "longs");
    }

    function test_no_one_fills_in_anothers_name() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        address[2] memory callers = [stranger, taker];
        for (uint256 i = 0; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotSelf.selector, callers[i]));
            vm.prank(callers[i]);
            settlement.fillOne(order, signature, taker);
        }
    }

    function test_an_empty_or_uneven_list_is_refused() external {
        (IServiceRFQSettlement.Order[] memory orders,) = batch(2);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.BatchEmpty.selector));
        settlement.fillMany(new IServiceRFQSettlement.Order[](0), new bytes[](0));
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.BatchLengthMismatch.selector, 2, 3));
        settlement.fillMany(orders, new bytes[](3));
    }

    function fillMany(IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures)
        private
        returns (bool[] memory)
    {
        vm.prank(taker);
        return settlement.fillMany(orders, signatures);
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

/// @title GasBurner
/// @notice This ERC-1271 maker burns all gas.
contract GasBurner is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        assembly ("memory-safe") {
            invalid()
        }
    }
}
