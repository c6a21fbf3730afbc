// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title OrderMutationTest
/// @notice A maker's signature is valid only for the exact order, domain and form that it signed; each test changes one of them.
contract OrderMutationTest is World {
    uint256 private constant CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    function testFuzz_another_maker_is_not_bound(address other) external {
        vm.assume(other != maker && other != taker && other.code.length == 0 && uint160(other) > 0xffff);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.maker = other;
        refusesSignature(order, signature);
    }

    function testFuzz_another_series_is_not_sold(uint256 other) external {
        vm.assume(other != callId);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.seriesId = other;
        refusesSignature(order, signature);
    }

    function testFuzz_another_amount_is_not_sold(uint256 other) external {
        vm.assume(other != 250 && other != 0);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.optionAmount = other;
        refusesSignature(order, signature);
    }

    function testFuzz_another_premium_is_not_taken(uint256 other) external {
        vm.assume(other != 77_500_000);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.premiumAmount = other;
        refusesSignature(order, signature);
    }

    function test_the_other_side_is_not_taken() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.makerSelling = false;
        refusesSignature(order, signature);
    }

    function testFuzz_another_taker_cannot_put_itself_in(address other) external {
        vm.assume(other != maker && other != taker);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.taker = other;
        refusesSignature(order, signature);
    }

    function testFuzz_an_order_is_not_prolonged(uint256 other) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        vm.assume(other != order.validUntil && other >= block.timestamp);
        bytes memory signature = signed(order);
        order.validUntil = other;
        refusesSignature(order, signature);
    }

    function testFuzz_an_order_is_not_renumbered(uint256 other) external {
        vm.assume(other != 0);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        order.nonce = other;
        refusesSignature(order, signature);
    }

    function testFuzz_a_signature_for_another_domain_is_refused(uint256 chainId, address verifier, bytes32 name)
        external
    {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes32 structHash = structHashOf(order);
        bytes32 ours = digestFor(keccak256("ServiceRFQSettlement"), "1", 80_002, address(settlement), structHash);
        vm.assertEq(ours, settlement.hashOrder(order), "this test's own digest");

        vm.assume(chainId != 80_002 && verifier != address(settlement) && name != keccak256("ServiceRFQSettlement"));
        bytes32[4] memory theirs = [
            digestFor(name, "1", 80_002, address(settlement), structHash),
            digestFor(keccak256("ServiceRFQSettlement"), "2", 80_002, address(settlement), structHash),
            digestFor(keccak256("ServiceRFQSettlement"), "1", chainId, address(settlement), structHash),
            digestFor(keccak256("ServiceRFQSettlement"), "1", 80_002, verifier, structHash)
        ];
        for (uint256 i = 0; i < theirs.length; ++i) {
            refusesSignature(order, sign(MAKER_KEY, theirs[i]));
        }
    }

    function testFuzz_a_signature_with_another_v_is_refused(uint8 v) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (uint8 good, bytes32 r, bytes32 s) = vm.sign(MAKER_KEY, settlement.hashOrder(order));
        vm.assume(v != good);
        refusesSignature(order, abi.encodePacked(r, s, v));
    }

    function test_v_of_0_and_1_is_refused() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(MAKER_KEY, settlement.hashOrder(order));
        refusesSignature(order, abi.encodePacked(r, s, v - 27));
    }

    function testFuzz_the_mirrored_signature_with_a_high_s_is_refused(uint256 nonce) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.nonce = nonce;
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(MAKER_KEY, settlement.hashOrder(order));
        bytes32 mirrored = bytes32(CURVE_ORDER - uint256(s));
        vm.assertEq(ecrecover(settlement.hashOrder(order), 55 - v, r, mirrored), maker, "the curve would accept it");
        refusesSignature(order, abi.encodePacked(r, mirrored, 55 - v));
    }

    function test_a_compact_signature_is_refused() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(MAKER_KEY, settlement.hashOrder(order));
        refusesSignature(order, abi.encodePacked(r, uint256(s) | uint256(v - 27) << 255));
    }

    function testFuzz_a_signature_of_another_length_is_refused(uint256 length) external {
        length = bound(length, 0, 200);
        vm.assume(length != 65);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory good = signed(order);
        bytes memory bad = new bytes(length);
        for (uint256 i = 0; i < length && i < 65; ++i) {
            bad[i] = good[i];
        }
        refusesSignature(order, bad);
    }

    function testFuzz_a_signature_with_one_bit_turned_is_refused(uint256 bit) external {
        bit = bound(bit, 0, 65 * 8 - 1);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        signature[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        refusesSignature(order, signature);
    }

    function test_an_address_word_with_stray_high_bits_is_refused() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory call = abi.encodeCall(settlement.fill, (order, signed(order)));
        for (uint256 i = 0; i < 2; ++i) {
            // The maker is the first word and the taker the sixth; this is the top byte of each.
            bytes memory stray = bytes.concat(call);
            stray[4 + i * 5 * 32] = 0x01;
            vm.prank(taker);
            (bool filled,) = address(settlement).call(stray);
            vm.assertTrue(!filled, "filled");
        }
    }

    function test_a_side_word_that_is_neither_true_nor_false_is_refused() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes32 structHash = keccak256(
            abi.encode(
                ORDER_TYPEHASH, maker, callId, order.optionAmount, order.premiumAmount, 2, taker, order.validUntil, 0
            )
        );
        bytes32 digest = digestFor(keccak256("ServiceRFQSettlement"), "1", 80_002, address(settlement), structHash);
        bytes memory call = abi.encodeCall(settlement.fill, (order, sign(MAKER_KEY, digest)));
        call[4 + 5 * 32 - 1] = 0x02;
        vm.prank(taker);
        (bool filled,) = address(settlement).call(call);
        vm.assertTrue(!filled, "filled");
    }

    bytes32 private constant ORDER_TYPEHASH = 0x1cf6a02a54e0f0dd91366bf8bd5ba3601296ab831afac2ba447ccade853a6bbc;

    function structHashOf(IServiceRFQSettlement.Order memory order) private pure returns (bytes32) {
        return keccak256(abi.encode(ORDER_TYPEHASH, order));
    }

    function digestFor(bytes32 nameHash, string memory version, uint256 chainId, address verifier, bytes32 structHash)
        private
        pure
        returns (bytes32)
    {
        bytes32 typeHash =
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        bytes32 separator = keccak256(abi.encode(typeHash, nameHash, keccak256(bytes(version)), chainId, verifier));
        return keccak256(abi.encodePacked("\x19\x01", separator, structHash));
    }

    function refusesSignature(IServiceRFQSettlement.Order memory order, bytes memory signature) private {
        bytes memory reason = abi.encodeWithSelector(
            IServiceRFQSettlement.SignatureInvalid.selector, order.maker, settlement.hashOrder(order)
        );
        vm.expectRevert(reason);
        vm.prank(order.taker);
        settlement.fill(order, signature);
    }
}
