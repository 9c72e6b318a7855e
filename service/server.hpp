#pragma once

#include "service/http.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace lowtide::service {

/// What one client, and all of them together, may take.
struct ServerLimits {
    uint32_t headerBytes = 16u << 10;
    size_t connections = 128;
    size_t messageBytes = 1u << 20;   ///< of a WebSocket's client
    size_t waitingMessages = 2000;    ///< for a WebSocket's client, until it is closed
    size_t waitingBytes = 64u << 20;  ///< the same
    /// For a request's header, also until the next one comes; and for each read and write of a
    /// body, in addition to its bytes at kSlowestBytes a second.
    std::chrono::seconds patience{30};
};

inline constexpr uint64_t kSlowestBytes = 64u << 10;

/// HTTP/1.1 and WebSocket on TCP and Unix sockets. One thread serves the network, a few others
/// answer. What a client does wrong ends its connection and nothing else.
class Server {
public:
    /// `handler` must outlive it.
    explicit Server(Handler& handler, const ServerLimits& limits = {});
    /// As stop().
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Port 0: a free one. The port. Error{InvalidInput} where the address cannot be had: the port
    /// is taken, or the address is not this machine's.
    uint16_t listen(const std::string& address, uint16_t port);
    /// A socket that this user alone may open. One that a program left behind when it was killed is
    /// replaced. Error{InvalidInput}: another service has it, something else lies there, the path
    /// is too long or its folder cannot be written.
    void listen(const std::string& socketPath);
    /// Closes every connection and joins the threads.
    void stop();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lowtide::service
