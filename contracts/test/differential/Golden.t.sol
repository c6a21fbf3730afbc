// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title GoldenTest
/// @notice The contracts hash the golden order to the digest that two TypeScript libraries computed.
contract GoldenTest is World {
    bytes32 private constant TYPEHASH = 0x1cf6a02a54e0f0dd91366bf8bd5ba3601296ab831afac2ba447ccade853a6bbc;
    bytes32 private constant SEPARATOR = 0x54f5de904163415b53a89eb8d8cbf409e79a27caf81b7966c6dc350dff5eb30f;
    bytes32 private constant DIGEST = 0x4b1513cff4c92418c8ed3bc13391e6a530dde8c65eee7f45a04fe52506d9ab9a;

    function test_golden_digest_is_the_struct_hash_under_its_domain() external view {
        IServiceRFQSettlement.Order memory order = IServiceRFQSettlement.Order({
            maker: vm.addr(0x0101010101010101010101010101010101010101010101010101010101010101),
            seriesId: 1,
            optionAmount: 250,
            premiumAmount: 77_500_000,
            makerSelling: true,
            taker: address(0xdEaD),
            validUntil: 1_800_000_000,
            nonce: 0
        });
        bytes32 structHash = keccak256(abi.encode(TYPEHASH, order));
        vm.assertEq(separator(address(1)), SEPARATOR, "golden domain");
        vm.assertEq(digest(SEPARATOR, structHash), DIGEST, "golden digest");
        vm.assertEq(
            settlement.hashOrder(order), digest(separator(address(settlement)), structHash), "the contract's digest"
        );
    }

    function separator(address verifyingContract) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("ServiceRFQSettlement"),
                keccak256("1"),
                80_002,
                verifyingContract
            )
        );
    }

    function digest(bytes32 separator_, bytes32 structHash) private pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", separator_, structHash));
    }
}
