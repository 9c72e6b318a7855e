#pragma once
// Requests and responses as values, without a network: what routes read and return.

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::service {

/// A request whose target is decoded. Names of headers are in lower case.
struct Request {
    std::string method;
    std::vector<std::string> path;  ///< decoded parts: "a%2Fb" is one part, "a/b"
    std::map<std::string, std::string> query;
    std::map<std::string, std::string> headers;
    std::string body;
    bool isLocalSocket = false;  ///< it came through a Unix socket

    /// Empty: it has none.
    [[nodiscard]] std::string header(const std::string& name) const;
    /// Of the query; empty: it has none.
    [[nodiscard]] std::string parameter(const std::string& name) const;

    [[nodiscard]] bool hasParameter(const std::string& name) const { return query.contains(name); }

    /// The path as text: "/a/b".
    [[nodiscard]] std::string pathText() const;
};

struct Response {
    int status = 200;
    std::string type{};  ///< its content type; empty: there is no body
    std::string body{};
    std::string file{};  ///< a file that is sent as the body
    std::vector<std::pair<std::string, std::string>> headers{};
};

/// Takes apart "/a/b?c=d". False: a part is no percent code or has a NUL.
[[nodiscard]] bool readTarget(std::string_view target, Request& request);
/// "%2F" as "/"; nothing: it is damaged. `plusIsSpace` in queries.
[[nodiscard]] std::optional<std::string> percentDecoded(std::string_view text, bool plusIsSpace);

/// A number of digits alone that fits; nothing: another text.
[[nodiscard]] std::optional<uint64_t> countIn(std::string_view text);
/// As one line; bytes that are no UTF-8, as those of names of files, are replaced.
[[nodiscard]] std::string toText(const Json& json);

[[nodiscard]] Response emptyResponse(int status = 200);
[[nodiscard]] Response textResponse(int status, std::string text);
[[nodiscard]] Response jsonResponse(const Json& json, int status = 200);
/// {"issues": [...]} with one error.
[[nodiscard]] Response refusal(int status,
                               const std::string& code,
                               const Message& problem,
                               const Message& hint = {});
/// What an answer of the module is as a response: 200, 400, 409 or 500.
[[nodiscard]] Response answerResponse(Status status, const Json& result);
/// The file, or the part that `range` ("bytes=0-") names, of which at most 16 MiB are sent.
[[nodiscard]] Response fileResponse(const std::string& path, const std::string& range);
/// By the ending of a name; what a browser would run is "application/octet-stream".
[[nodiscard]] std::string contentTypeOf(std::string_view name);

/// The body as JSON. Error{Corrupt} as parseJson; at most 32 MiB.
[[nodiscard]] Json bodyJson(const Request& request);
/// The same of an object; {} where there is no body.
[[nodiscard]] Json bodyObject(const Request& request);

/// The values that stand for "{}" in the pattern of a route, in order.
using PathValues = std::vector<std::string>;
using RouteHandler = std::function<Response(const Request&, const PathValues&)>;

/// Routes by method and pattern ("/runs/{}/cancel").
class Router {
public:
    void add(std::string method, std::string_view pattern, RouteHandler handler);
    /// Nothing: no pattern fits. Another method is 405, HEAD is GET.
    [[nodiscard]] std::optional<Response> answer(const Request& request) const;

private:
    struct Route {
        std::string method;
        std::vector<std::string> pattern;
        RouteHandler handler;
    };

    std::vector<Route> routes_;
};

/// What `pattern` leaves open in `path`; nothing: they do not fit.
[[nodiscard]] std::optional<PathValues> matched(const std::vector<std::string>& pattern,
                                                const std::vector<std::string>& path);

/// A client's WebSocket. Any thread may send. What waits for a slow client is bounded: messages
/// that may be missed are left out, and at the bound the socket is closed.
class Socket {
public:
    enum class Need : uint8_t { Always, MayBeMissed };

    virtual ~Socket() = default;
    virtual void sendText(std::string text, Need need) = 0;
    virtual void sendBytes(std::string bytes, Need need) = 0;
    virtual void close() = 0;
};

/// Who reads a WebSocket. Called from one thread of the network, which must not wait.
class SocketReader {
public:
    virtual ~SocketReader() = default;
    virtual void opened(const std::shared_ptr<Socket>& socket) = 0;
    virtual void text(const std::string& text) = 0;
    virtual void closed() = 0;
};

/// Answers what arrives. `refused`, `mostBytes` and `reader` are called from the thread of the
/// network with a request without its body, `answer` from one of several others.
class Handler {
public:
    virtual ~Handler() = default;
    /// Why it is not answered; nothing: it is. Bodies of refused requests are not read.
    [[nodiscard]] virtual std::optional<Response> refused(const Request& request) = 0;
    /// The largest body.
    [[nodiscard]] virtual uint64_t mostBytes(const Request& request) = 0;
    [[nodiscard]] virtual Response answer(const Request& request) = 0;
    /// Of a request for a WebSocket; nullptr: there is none at that path.
    [[nodiscard]] virtual std::shared_ptr<SocketReader> reader(const Request& request) = 0;
};

}  // namespace lowtide::service
