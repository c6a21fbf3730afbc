// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title ChainForkTest
/// @notice A signature for one side of a chain fork is void on the other.
contract ChainForkTest is World {
    uint256 private constant OTHER_CHAIN = 80_003;

    function test_an_order_does_not_fill_on_the_other_chain() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.chainId(OTHER_CHAIN);
        bytes memory reason =
            abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, maker, settlement.hashOrder(order));
        vm.expectRevert(reason);
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.chainId(80_002);
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_an_order_for_the_other_chain_fills_only_there() external {
        vm.chainId(OTHER_CHAIN);
        (,,, uint256 chainId,,,) = settlement.eip712Domain();
        vm.assertEq(chainId, OTHER_CHAIN, "the domain moved with the chain");
        bytes memory signature = signed(someOrder());
        uint256 fork = vm.snapshotState();
        vm.prank(taker);
        settlement.fill(someOrder(), signature);
        vm.revertToState(fork);
        vm.chainId(80_002);
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(someOrder(), signature);
        vm.assertEq(uint256(status), uint256(IServiceRFQSettlement.OrderStatus.SignatureInvalid), "status");
    }

    function test_an_attestation_does_not_settle_on_the_other_chain() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 59, EXPIRY);
        vm.chainId(OTHER_CHAIN);
        try core.settleWithAttestation(callId, 59, EXPIRY, signature) {
            vm.assertTrue(false, "settled");
        } catch (bytes memory reason) {
            vm.assertEq(bytes32(bytes4(reason)), bytes32(IServiceCore.AttestationSignerInvalid.selector), "reason");
        }
    }
}
