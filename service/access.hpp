#pragma once
// Who may ask: the token, and protection against pages of other sites in the user's browser.

#include "service/http.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::service {

/// What a request must have.
struct AccessRules {
    std::string token;
    bool isTokenForAll = false;  ///< else of the routes below /lowtide alone
    std::string hostName{};      ///< accepted in addition to addresses and localhost
};

/// Why a request is refused: 401 without the token, 403 for a name of a host that a page of another
/// site could have pointed here, or an `Origin` that is not that host. Nothing: it is answered.
[[nodiscard]] std::optional<Response> refusedAccess(const Request& request,
                                                    const AccessRules& rules);

/// 256 random bits as text. Error{Internal} where the system gives none.
[[nodiscard]] std::string newToken();
/// Takes as long for every text of that length.
[[nodiscard]] bool isSameSecret(std::string_view given, std::string_view secret);
/// "localhost" of "localhost:8197", "::1" of "[::1]:8197".
[[nodiscard]] std::string hostNameOf(std::string_view host);
/// Whether a name is an address of IPv4 or IPv6.
[[nodiscard]] bool isAddress(const std::string& name);
/// Whether an address is reached from this machine alone.
[[nodiscard]] bool isLoopback(const std::string& address);

}  // namespace lowtide::service
