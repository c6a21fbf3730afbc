// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title TestUSD
/// @notice This stablecoin of test networks has 6 decimals and EIP-2612 permits, and the faucet mints it. `MINTER_ROLE` creates
/// any amount, so that it is worth nothing and belongs on no main network.
contract TestUSD is ERC20Permit, AccessControl {
    /// @notice Holders of this role mint; the admin grants and revokes it.
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    /// @notice Grants the two roles; no dollar exists yet.
    /// @param admin Account that grants and revokes roles.
    /// @param minter First minter, usually the faucet's wallet.
    constructor(address admin, address minter) ERC20("Test USD", "TUSD") ERC20Permit("Test USD") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(MINTER_ROLE, minter);
    }

    /// @notice Creates `amount` micro-dollars for `to`. Minters only.
    /// @param to Recipient.
    /// @param amount Micro-dollars.
    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        _mint(to, amount);
    }

    /// @notice The unit is a micro-dollar.
    /// @return 6.
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
