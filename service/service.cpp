#include "service/service.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/issues.hpp"
#include "service/access.hpp"
#include "service/comfy_api.hpp"
#include "service/own_api.hpp"

#include <filesystem>
#include <utility>

namespace lowtide::service {

namespace {

constexpr size_t kMostEnded = 200;  ///< runs that are kept
constexpr uint64_t kMostBody = 32u << 20;
constexpr uint64_t kMostUpload = 100u << 20;
constexpr uint64_t kMostOtherBody = 1u << 20;

int statusOfKind(ErrorKind kind) {
    return kind == ErrorKind::NotFound                                ? 404
           : kind == ErrorKind::Internal || kind == ErrorKind::Device ? 500
           : kind == ErrorKind::OutOfMemory                           ? 503
                                                                      : 400;
}

/// Images that nodes showed to clients of an earlier service.
void removeOldPreviews(const std::string& folder) {
    std::vector<std::filesystem::path> old;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with("preview_") && name.ends_with(".png")) {
            old.push_back(entry->path());
        }
    }
    for (const std::filesystem::path& path : old) {
        std::filesystem::remove(path, failure);
    }
}

/// What ComfyUI serves under both "/x" and "/api/x".
Request withoutApiPrefix(const Request& request) {
    const bool isPrefixed = request.path.size() > 1 && request.path[0] == "api" &&
                            request.path[1] != "internal" && request.path[1] != "lowtide";
    Request plain = request;
    if (isPrefixed) {
        plain.path.erase(plain.path.begin());
    }
    return plain;
}

}  // namespace

/// The parts in the order of their use; they end in the reverse one.
struct Service::State final : Handler {
    State(Plugin& plugin, const ServiceSettings& settings)
        : folders(foldersBelow(settings.out, settings.models)),
          rules({.token = settings.token,
                 .isTokenForAll = settings.port && !isLoopback(settings.address),
                 .hostName = settings.address}),
          runner(*plugin.runner()),
          intake(plugin, folders),
          queue(runner, makeMemoryStore(kMostEnded)),
          own(plugin, intake, folders, queue, router),
          comfy(plugin, intake, folders, queue, router, settings.resources),
          server(*this, settings.limits) {
        removeOldPreviews(folders.temp);
    }

    std::optional<Response> refused(const Request& request) override {
        return refusedAccess(withoutApiPrefix(request), rules);
    }

    uint64_t mostBytes(const Request& request) override {
        const Request plain = withoutApiPrefix(request);
        const std::string first = plain.path.empty() ? "" : plain.path.front();
        return first == "upload" || first == "userdata" || request.method == "PUT" ? kMostUpload
               : first == "lowtide" || first == "prompt" || first == "settings"    ? kMostBody
                                                                                   : kMostOtherBody;
    }

    Response answer(const Request& request) override {
        try {
            const std::optional<Response> response = router.answer(withoutApiPrefix(request));
            return response
                       ? *response
                       : refusal(404,
                                 "not_found",
                                 message("there is nothing at {}", quotedName(request.pathText())),
                                 message("docs/serve.md lists what this service answers"));
        } catch (const Error& error) {
            return jsonResponse({{"issues",
                                  graph::toJson(Issues{{.code = std::string(codeOf(error.kind())),
                                                        .item = error.item(),
                                                        .message = error.message(),
                                                        .hint = error.hint()}})}},
                                statusOfKind(error.kind()));
        }
    }

    std::shared_ptr<SocketReader> reader(const Request& request) override {
        const Request plain = withoutApiPrefix(request);
        std::shared_ptr<SocketReader> found = own.reader(plain);
        return found ? found : comfy.reader(plain);
    }

    const ServiceFolders folders;
    const AccessRules rules;
    Runner& runner;
    const GraphIntake intake;
    Router router;
    RunQueue queue;
    OwnApi own;
    ComfyApi comfy;
    Server server;
    uint16_t port = 0;
};

Service::Service(Plugin& plugin, const ServiceSettings& settings)
    : state_(std::make_unique<State>(plugin, settings)) {
    if (!settings.socketPath.empty()) {
        state_->server.listen(settings.socketPath);
    }
    if (settings.port) {
        state_->port = state_->server.listen(settings.address, *settings.port);
    }
}

Service::~Service() {
    state_->runner.cancel(0, CancelMode::Now);  // checks and plans
    state_->queue.stop();
    state_->server.stop();
}

uint16_t Service::port() const {
    return state_->port;
}

}  // namespace lowtide::service
