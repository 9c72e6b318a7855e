#pragma once

#include "service/server.hpp"
#include "ui/models/model_folders.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide {
class Plugin;
}

namespace lowtide::service {

/// What a service is started with.
struct ServiceSettings {
    std::string out;                        ///< absolute: results, and the folders of clients below
    std::vector<ui::ModelFolder> models{};  ///< that clients may name files in
    std::string resources;                  ///< the module's
    std::string token;
    std::string address = "127.0.0.1";
    std::optional<uint16_t> port{};  ///< 0: a free one; nothing: no TCP
    std::string socketPath{};        ///< empty: no Unix socket
    ServerLimits limits{};
};

/// Lowtide over HTTP and WebSocket, until it is destroyed. Errors: those of Server::listen,
/// foldersBelow and ComfyNodes.
class Service {
public:
    /// The plugin was started, and outlives it.
    Service(Plugin& plugin, const ServiceSettings& settings);
    /// Cancels what runs, ends what waits and closes every connection.
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// The port of TCP; 0: none.
    [[nodiscard]] uint16_t port() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lowtide::service
