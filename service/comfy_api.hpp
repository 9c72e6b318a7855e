#pragma once

#include "service/comfy_files.hpp"
#include "service/comfy_messages.hpp"
#include "service/comfy_nodes.hpp"
#include "service/graph_intake.hpp"
#include "service/run_queue.hpp"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::service {

class ComfySocket;

/// The part of ComfyUI's protocol that its clients and its page need: docs/serve.md.
class ComfyApi final : public RunListener {
public:
    /// All must outlive it; `resources` is the module's folder of them.
    ComfyApi(Plugin& plugin,
             const GraphIntake& intake,
             const ServiceFolders& folders,
             RunQueue& queue,
             Router& router,
             const std::string& resources);
    ~ComfyApi() override;

    [[nodiscard]] std::shared_ptr<SocketReader> reader(const Request& request);

    void queueChanged(size_t remaining) override;
    void started(const StoredRun& run) override;
    void event(const StoredRun& run, const Json& event) override;
    void image(const StoredRun& run, const Json& nodePreview, const Image8& image) override;
    void ended(const StoredRun& run, Json& result) override;
    void settled(const StoredRun& run) override;

private:
    friend class ComfySocket;

    /// A client's runs have its id; the newest socket of one id gets the messages.
    struct Client {
        std::shared_ptr<Socket> socket;
        bool takesFields = false;  ///< of previews
    };

    void addQueueRoutes(Router& router);
    void addFixedRoutes(Router& router);
    [[nodiscard]] Response prompted(const Request& request);
    [[nodiscard]] Response queued() const;
    [[nodiscard]] Response queueEdited(const Request& request);
    [[nodiscard]] Response history(const Request& request, const std::string& id) const;
    [[nodiscard]] Response historyEdited(const Request& request);
    [[nodiscard]] Response interrupted(const Request& request);
    [[nodiscard]] Response freed(const Request& request);
    [[nodiscard]] Response systemStats() const;
    [[nodiscard]] Json statusData(size_t remaining) const;
    /// `client` empty: to all.
    void send(const std::string& client, const ComfyMessage& message);
    void showImage(const StoredRun& run, const std::string& node, const Image8& image);
    /// Images of an earlier run, where the node is reused.
    void showAgain(const StoredRun& run, const std::string& node);
    void opened(const std::string& id, const std::shared_ptr<Socket>& socket);

    Plugin& plugin_;
    Runner& runner_;
    const GraphIntake& intake_;
    const ServiceFolders& folders_;
    RunQueue& queue_;
    ComfyFiles files_;
    ComfyNodes nodes_;
    mutable std::mutex mutex_;
    std::map<std::string, Client> clients_;
    std::string currentNode_;
    std::unique_ptr<ComfyMessages> running_;  ///< of the thread of the queue
    uint64_t lastTempNumber_ = 0;             ///< the same
    /// The same: images by a node and all that it needs, the newest last.
    std::deque<std::pair<std::string, Json>> shown_;
};

}  // namespace lowtide::service
