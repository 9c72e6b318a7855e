#pragma once

#include "service/graph_intake.hpp"
#include "service/run_queue.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::service {

class OwnSocket;

/// Lowtide's own protocol, below /lowtide/v1: docs/serve.md.
class OwnApi final : public RunListener {
public:
    /// All must outlive it.
    OwnApi(Plugin& plugin,
           const GraphIntake& intake,
           const ServiceFolders& folders,
           RunQueue& queue,
           Router& router);
    ~OwnApi() override;

    /// Of a request for events; nullptr: there are none at that path.
    [[nodiscard]] std::shared_ptr<SocketReader> reader(const Request& request);

    void queueChanged(size_t remaining) override;
    void started(const StoredRun& run) override;
    void event(const StoredRun& run, const Json& event) override;
    void image(const StoredRun& run, const Json& nodePreview, const Image8& image) override;
    void ended(const StoredRun& run, Json& result) override;
    void settled(const StoredRun& run) override;

private:
    friend class OwnSocket;
    void addModuleRoutes(Router& router);
    void addRunRoutes(Router& router);
    void addFileRoutes(Router& router);
    [[nodiscard]] Response looked(const Request& request, bool isPlan) const;
    [[nodiscard]] Response added(const Request& request);
    [[nodiscard]] Response cancelled(const Request& request, const std::string& id);
    [[nodiscard]] Response released(const Request& request) const;
    [[nodiscard]] Response recognised(const Request& request) const;
    [[nodiscard]] Response exported(const Request& request) const;
    [[nodiscard]] Response downloaded(const Request& request, const PathValues& values) const;
    [[nodiscard]] Response uploaded(const Request& request, const std::string& name) const;
    /// `run` empty: to those that hear of all. `number`: as the event has it, -1: none.
    void send(const std::string& run,
              const std::string& text,
              Socket::Need need,
              int64_t number = -1);
    [[nodiscard]] std::vector<std::shared_ptr<OwnSocket>> socketsOf(const std::string& run) const;

    Plugin& plugin_;
    Runner& runner_;
    const GraphIntake& intake_;
    const ServiceFolders& folders_;
    RunQueue& queue_;
    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<OwnSocket>> sockets_;
};

/// What clients see of a run.
[[nodiscard]] Json runJson(const StoredRun& run, const ServiceFolders& folders);

/// An image as a file: JPEG, or PNG where it has transparency.
struct EncodedImage {
    std::string bytes;
    bool isPng = false;
};

[[nodiscard]] EncodedImage encodedPreview(const Image8& image);
/// Four bytes, the first one the largest.
[[nodiscard]] std::string bigEndian(uint32_t number);

}  // namespace lowtide::service
