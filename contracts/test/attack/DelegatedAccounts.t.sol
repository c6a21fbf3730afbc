// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// @title DelegatedAccountsTest
/// @notice Keys with delegated code (EIP-7702) sign by key and by code.
contract DelegatedAccountsTest is World {
    function test_a_delegated_maker_still_signs_by_its_key() external {
        delegate(address(new NoWallet()), MAKER_KEY);
        vm.assertEq(maker.code.length, 23, "delegated");
        fill(someOrder());
        vm.assertEq(core.shortOf(callId, maker), 250, "short");
    }

    function test_a_delegated_maker_may_also_sign_by_its_code() external {
        delegate(address(new SaysYes()), MAKER_KEY);
        IServiceRFQSettlement.Order memory order = someOrder();
        vm.prank(taker);
        settlement.fill(order, "by code");
        vm.assertEq(core.shortOf(callId, maker), 250, "short");
    }

    function test_a_delegated_maker_is_not_bound_by_another_key() external {
        delegate(address(new NoWallet()), MAKER_KEY);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes32 digest = settlement.hashOrder(order);
        bytes memory signature = sign(TAKER_KEY, digest);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, maker, digest));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_a_delegated_taker_that_can_receive_options_buys() external {
        delegate(address(new Receives()), TAKER_KEY);
        fill(someOrder());
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_delegated_taker_without_a_receiver_only_writes() external {
        delegate(address(new NoWallet()), TAKER_KEY);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155InvalidReceiver.selector, taker));
        vm.prank(taker);
        settlement.fill(order, signature);
        order.makerSelling = false;
        fill(order);
        vm.assertEq(core.shortOf(callId, taker), 250, "short");
    }

    /// @dev A delegation takes effect with the next call.
    function delegate(address implementation, uint256 key) private {
        vm.signAndAttachDelegation(implementation, key);
        this.nothing();
    }

    function nothing() external {}
}

/// @title NoWallet
/// @notice This code has neither a signature check nor a receiver.
contract NoWallet {
    uint256 private immutable nothing = 1;
}

/// @title SaysYes
/// @notice This code accepts every signature.
contract SaysYes {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return this.isValidSignature.selector;
    }
}

/// @title Receives
/// @notice This code receives options.
contract Receives is ERC1155Holder {}
