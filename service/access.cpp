#include "service/access.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <arpa/inet.h>
#include <array>
#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace lowtide::service {

namespace {

constexpr std::string_view kBearer = "bearer ";

/// The token that a request has; empty: none.
std::string givenToken(const Request& request) {
    const std::string header = request.header("authorization");
    return toLower(header.substr(0, kBearer.size())) == kBearer
               ? trim(std::string_view(header).substr(kBearer.size()))
               : request.parameter("token");
}

bool isAcceptedHost(const Request& request, const AccessRules& rules) {
    const std::string name = toLower(hostNameOf(request.header("host")));
    return request.isLocalSocket || name == "localhost" || isAddress(name) ||
           (!rules.hostName.empty() && name == toLower(rules.hostName));
}

/// Pages of other sites have another host there; programs have no origin.
bool isAcceptedOrigin(const Request& request) {
    const std::string origin = toLower(request.header("origin"));
    const std::string host = toLower(request.header("host"));
    return origin.empty() ||
           (!host.empty() && (origin == "http://" + host || origin == "https://" + host));
}

}  // namespace

std::optional<Response> refusedAccess(const Request& request, const AccessRules& rules) {
    if (!isAcceptedHost(request, rules)) {
        return refusal(
            403,
            "foreign_host",
            message("the host {} is not this service", quotedName(request.header("host"))),
            message("use localhost or the machine's address, or name it with --listen"));
    }
    if (!isAcceptedOrigin(request)) {
        return refusal(
            403,
            "foreign_origin",
            message("pages of {} may not use this service", quotedName(request.header("origin"))),
            message("open the page at the service's own address"));
    }
    const bool isOwn = !request.path.empty() && request.path.front() == "lowtide";
    if ((isOwn || rules.isTokenForAll) && !isSameSecret(givenToken(request), rules.token)) {
        Response response = refusal(
            401,
            "token_missing",
            message("the request has no token, or another one"),
            message(
                "send what lowtide serve printed: Authorization: Bearer TOKEN, or ?token=TOKEN"));
        response.headers.emplace_back("WWW-Authenticate", "Bearer");
        return response;
    }
    return std::nullopt;
}

std::string newToken() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, 32> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        throw Error(ErrorKind::Internal,
                    message("the system gives no random numbers for a token"),
                    message("name one with --token"));
    }
    std::string token;
    for (const unsigned char byte : bytes) {
        token += kDigits[byte >> 4];
        token += kDigits[byte & 15];
    }
    return token;
}

bool isSameSecret(std::string_view given, std::string_view secret) {
    return given.size() == secret.size() && !secret.empty() &&
           CRYPTO_memcmp(given.data(), secret.data(), secret.size()) == 0;
}

std::string hostNameOf(std::string_view host) {
    if (host.starts_with('[')) {
        return std::string(host.substr(1, host.find(']') - 1));
    }
    return std::string(host.substr(0, host.rfind(':')));
}

bool isAddress(const std::string& name) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
           inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool isLoopback(const std::string& address) {
    return (address.starts_with("127.") && isAddress(address)) || address == "::1" ||
           address == "localhost";
}

}  // namespace lowtide::service
