// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "../support/Test.sol";
import {PackageRows} from "./PackageRows.sol";

/// @title PackagesTest
/// @notice Packages pay the same in Solidity, in TypeScript and by a third computation. Every run tries a part of them; `npm run
/// payoffs` tries all, names a file of hashes and uses the optimized code.
contract PackagesTest is Test {
    /// @dev test/protocol/domain/every-package.test.ts comes to the same with the relay's own code.
    bytes32 private constant SOME = 0xc064d23661249761f8ecb1d6b428d33a8bdbd2681f21452128c993b4388281e6;

    function test_packages_pay_what_the_relay_says() external {
        PackageRows rows = new PackageRows();
        bytes32 hash;
        for (uint256 first = 0; first < 12; ++first) {
            hash = keccak256(bytes.concat(hash, rows.hashOfPairs(15, first)));
        }
        (bytes32 drawn,) = rows.hashOfDrawn(0, 200);
        vm.assertEq(keccak256(bytes.concat(hash, drawn)), SOME, "the hash of some packages");
    }

    function test_all_packages_pay_what_the_relay_says() external {
        string memory file = vm.envOr("PAYOFFS", string(""));
        if (bytes(file).length == 0) return;
        PackageRows rows = PackageRows(create(vm.getCode("contracts/cache/PackageRows.json"), ""));
        for (uint256 first = 0; first < 198; ++first) {
            string memory what = string.concat("pairs of option ", vm.toString(first));
            vm.assertEq(rows.hashOfPairs(1, first), nextHash(file), what);
        }
        uint256 next;
        for (uint256 part = 0; part < 100; ++part) {
            bytes32 hash;
            (hash, next) = rows.hashOfDrawn(next, 100);
            vm.assertEq(hash, nextHash(file), string.concat("draws before ", vm.toString(next)));
        }
    }

    function nextHash(string memory file) private view returns (bytes32) {
        return abi.decode(vm.parseBytes(vm.readLine(file)), (bytes32));
    }
}
