// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// @title MakerSignersTest
/// @notice A maker authorizes keys that sign its orders.
contract MakerSignersTest is World {
    uint256 private constant HOT_KEY = 0x407;
    uint256 private constant OTHER_KEY = 0x408;
    address private immutable hot = vm.addr(HOT_KEY);
    address private immutable other = vm.addr(OTHER_KEY);

    function test_a_key_that_the_maker_authorised_signs_its_orders() external {
        authorize(START + 1 days);
        IServiceRFQSettlement.Order memory order = someOrder();
        fillSignedByHot(order);
        vm.assertEq(core.shortOf(callId, maker), 250, "the maker has written");
        vm.assertEq(core.shortOf(callId, hot), 0, "and not its key");
        vm.assertTrue(settlement.isNonceUsed(maker, order.nonce), "the maker's nonce");
        vm.assertEq(usd.balanceOf(hot), 0, "the key is paid nothing");
    }

    function test_its_signature_counts_to_the_last_second() external {
        authorize(START + 60);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = sign(HOT_KEY, settlement.hashOrder(order));
        vm.assertEq(settlement.signedUntil(order, signature), START + 60, "until");
        uint256 before = vm.snapshotState();
        vm.warp(START + 60);
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.revertToState(before);
        vm.warp(START + 61);
        refuses(order, signature);
    }

    function test_what_it_signed_is_void_once_it_is_revoked() external {
        authorize(START + 1 days);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = sign(HOT_KEY, settlement.hashOrder(order));
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.SignerRevoked(maker, hot);
        vm.prank(maker);
        settlement.revokeSigner(hot);
        vm.assertEq(settlement.signerUntil(maker, hot), 0, "until");
        refuses(order, signature);
        vm.assertEq(settlement.signedUntil(order, signature), 0, "signed by nobody who may");
    }

    function test_it_signs_for_no_other_maker() external {
        authorize(START + 1 days);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.maker = stranger;
        refuses(order, sign(HOT_KEY, settlement.hashOrder(order)));
    }

    function test_the_maker_still_signs_by_itself() external {
        authorize(START + 1 days);
        fill(someOrder());
        vm.assertEq(settlement.signedUntil(someOrder(), signed(someOrder())), type(uint256).max, "its own, for ever");
    }

    function test_a_contract_authorises_a_key_beside_its_own_check() external {
        Vault vault = new Vault();
        fund(address(vault));

        vault.authorize(settlement, hot, START + 1 days);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.maker = address(vault);
        fillSignedByHot(order);
        vm.assertEq(core.shortOf(callId, address(vault)), 250, "short");
    }

    function test_a_key_that_no_one_authorised_signs_for_no_one() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        refuses(order, sign(HOT_KEY, settlement.hashOrder(order)));
        refuses(order, "");
        refuses(order, new bytes(65));
    }

    function test_a_key_cannot_authorise_itself_or_another() external {
        authorize(START + 1 days);
        vm.prank(hot);
        settlement.authorizeSigner(stranger, START + 1 days);
        vm.assertEq(settlement.signerUntil(maker, stranger), 0, "only for itself");
        vm.prank(stranger);
        settlement.revokeSigner(hot);
        vm.assertEq(settlement.signerUntil(maker, hot), START + 1 days, "nobody else revokes");
    }

    function test_authorising_again_replaces_the_time() external {
        authorize(START + 1 days);
        authorize(START + 1 hours);
        vm.assertEq(settlement.signerUntil(maker, hot), START + 1 hours, "shorter");
    }

    function test_an_authorization_ends_after_now_and_within_366_days() external {
        refusesUntil(START);
        refusesUntil(START + 366 days + 1);
        refusesUntil(type(uint256).max);
        authorize(START + 1);
        authorize(START + 366 days);
    }

    function test_no_one_and_the_maker_itself_are_refused_as_signers() external {
        address[2] memory none = [address(0), maker];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignerInvalid.selector, none[i]));
            vm.prank(maker);
            settlement.authorizeSigner(none[i], START + 1 days);
        }
    }

    function test_check_order_reads_the_authorization() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = sign(HOT_KEY, settlement.hashOrder(order));
        vm.assertEq(statusOf(order, signature), uint256(IServiceRFQSettlement.OrderStatus.SignatureInvalid), "before");
        authorize(START + 60);
        vm.assertEq(statusOf(order, signature), uint256(IServiceRFQSettlement.OrderStatus.Fillable), "while it may");
        vm.warp(START + 60);
        vm.assertEq(
            statusOf(order, signature), uint256(IServiceRFQSettlement.OrderStatus.Fillable), "to the last second"
        );
        vm.warp(START + 61);
        vm.assertEq(statusOf(order, signature), uint256(IServiceRFQSettlement.OrderStatus.SignatureInvalid), "after");
    }

    function test_what_it_signs_fills_in_batches_and_from_inventory_too() external {
        authorize(START + 1 days);
        trade(callId, 10, 500);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 10, "");
        vm.prank(maker);
        core.setApprovalForAll(address(settlement), true);
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](1);
        bytes[] memory signatures = new bytes[](1);
        orders[0] = someOrder();
        signatures[0] = sign(HOT_KEY, settlement.hashOrder(orders[0]));
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
        (orders[0].nonce, orders[0].optionAmount) = (1, 10);
        orders[0].premiumAmount = 10;
        bytes memory signature = sign(HOT_KEY, settlement.hashOrder(orders[0]));
        vm.prank(taker);
        settlement.fillFromInventory(orders[0], signature, 10, 0, address(0), 0);
        vm.assertEq(core.balanceOf(taker, callId), 260, "longs");
    }

    function test_a_maker_revokes_all_its_keys_at_once() external {
        authorize(START + 1 days);
        authorizeOther(START + 1 days);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes32 digest = settlement.hashOrder(order);
        (bytes memory first, bytes memory second) = (sign(HOT_KEY, digest), sign(OTHER_KEY, digest));
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.AllSignersRevoked(maker, 1);
        vm.prank(maker);
        settlement.revokeAllSigners();
        vm.assertEq(settlement.signerEpoch(maker), 1, "epoch");
        vm.assertEq(settlement.signerUntil(maker, hot), 0, "until");
        vm.assertEq(settlement.signerUntil(maker, other), 0, "until");
        refuses(order, first);
        refuses(order, second);
        vm.assertEq(settlement.signedUntil(order, first), 0, "signed by no key that may");
        fill(order);
        vm.assertEq(core.shortOf(callId, maker), 250, "the maker's own signature counts");
    }

    function test_a_key_of_a_former_epoch_counts_once_it_is_authorised_again() external {
        authorize(START + 1 days);
        vm.prank(maker);
        settlement.revokeAllSigners();
        authorize(START + 60);
        vm.assertEq(settlement.signerUntil(maker, hot), START + 60, "until");
        fillSignedByHot(someOrder());
        vm.assertEq(core.shortOf(callId, maker), 250, "short");
        vm.prank(maker);
        settlement.revokeAllSigners();
        vm.assertEq(settlement.signerEpoch(maker), 2, "epoch");
        vm.assertEq(settlement.signerUntil(maker, hot), 0, "until");
    }

    function test_a_key_is_revoked_by_itself_in_a_later_epoch() external {
        vm.prank(maker);
        settlement.revokeAllSigners();
        authorize(START + 1 days);
        authorizeOther(START + 1 days);
        vm.prank(maker);
        settlement.revokeSigner(hot);
        vm.assertEq(settlement.signerUntil(maker, hot), 0, "revoked");
        vm.assertEq(settlement.signerUntil(maker, other), START + 1 days, "the other is not");
    }

    function test_keys_of_other_makers_are_not_touched() external {
        authorize(START + 1 days);
        vm.prank(taker);
        settlement.authorizeSigner(hot, START + 2 days);
        vm.prank(taker);
        settlement.revokeAllSigners();
        vm.prank(hot);
        settlement.revokeAllSigners();
        vm.assertEq(settlement.signerUntil(maker, hot), START + 1 days, "until");
        vm.assertEq(settlement.signerEpoch(maker), 0, "epoch");
        vm.assertEq(settlement.signerUntil(taker, hot), 0, "the other maker's is gone");
        fillSignedByHot(someOrder());
    }

    function authorizeOther(uint256 until) private {
        vm.prank(maker);
        settlement.authorizeSigner(other, until);
    }

    function authorize(uint256 until) private {
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.SignerAuthorized(maker, hot, until);
        vm.prank(maker);
        settlement.authorizeSigner(hot, until);
    }

    function refusesUntil(uint256 until) private {
        vm.expectRevert(
            abi.encodeWithSelector(IServiceRFQSettlement.AuthorizationOutOfRange.selector, until, block.timestamp)
        );
        vm.prank(maker);
        settlement.authorizeSigner(hot, until);
    }

    function fillSignedByHot(IServiceRFQSettlement.Order memory order) private {
        bytes memory signature = sign(HOT_KEY, settlement.hashOrder(order));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function refuses(IServiceRFQSettlement.Order memory order, bytes memory signature) private {
        bytes32 digest = settlement.hashOrder(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, order.maker, digest));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function statusOf(IServiceRFQSettlement.Order memory order, bytes memory signature) private view returns (uint256) {
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signature);
        return uint256(status);
    }
}

/// @title Vault
/// @notice This contract receives options and has no signature check.
contract Vault is ERC1155Holder {
    function authorize(IServiceRFQSettlement settlement, address signer, uint256 until) external {
        settlement.authorizeSigner(signer, until);
    }
}
