// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title RefusedTest
/// @notice No role and no operator without approval moves options of others.
contract RefusedTest is World {
    function test_a_buying_maker_cannot_trade_with_itself_either() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = false;
        order.taker = maker;
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SelfTrade.selector, maker));
        vm.prank(maker);
        settlement.fill(order, signature);
    }

    function test_no_role_moves_options_of_others() external {
        trade(callId, 250, 0);
        address[4] memory accounts = [owner, signer, address(settlement), maker];
        for (uint256 i = 0; i < accounts.length; ++i) {
            vm.assertTrue(!core.isApprovedForAll(taker, accounts[i]), "approved");
            vm.expectRevert(
                abi.encodeWithSelector(IERC1155Errors.ERC1155MissingApprovalForAll.selector, accounts[i], taker)
            );
            vm.prank(accounts[i]);
            core.safeTransferFrom(taker, accounts[i], callId, 1, "");
        }
    }

    function test_an_operator_moves_options_only_while_approved() external {
        trade(callId, 250, 0);
        uint256[] memory ids = new uint256[](1);
        uint256[] memory amounts = new uint256[](1);
        (ids[0], amounts[0]) = (callId, 100);
        vm.prank(taker);
        core.setApprovalForAll(stranger, true);
        vm.prank(stranger);
        core.safeBatchTransferFrom(taker, maker, ids, amounts, "");
        vm.assertEq(core.balanceOf(maker, callId), 100, "moved");
        vm.prank(taker);
        core.setApprovalForAll(stranger, false);
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155MissingApprovalForAll.selector, stranger, taker));
        vm.prank(stranger);
        core.safeBatchTransferFrom(taker, maker, ids, amounts, "");
    }
}
