// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title TestUSD: the stablecoin of test networks, worth nothing
/// @notice 6 decimals, EIP-2612 permits, minted by the faucet. `MINTER_ROLE` creates any amount, so it stands for no
/// real dollar and belongs on no main network.
contract TestUSD is ERC20Permit, AccessControl {
    /// @notice May mint; given and taken by the admin.
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    /// @param admin Gives and takes roles.
    /// @param minter First minter, usually the faucet's wallet.
    constructor(address admin, address minter) ERC20("Test USD", "TUSD") ERC20Permit("Test USD") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(MINTER_ROLE, minter);
    }

    /// @notice Creates `amount` micro-dollars for `to`. Minters only.
    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        _mint(to, amount);
    }

    /// @notice Micro-dollars.
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
