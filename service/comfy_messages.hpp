#pragma once

#include "plugin/base/json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::service {

/// A message as ComfyUI's server sends it over its WebSocket.
struct ComfyMessage {
    std::string type;
    Json data;
    bool mayBeMissed = false;
};

/// One run in ComfyUI's words: its messages, and its entry of the history. A node of ComfyUI may
/// stand for several of the graph; it runs from the first of them to the last.
class ComfyMessages {
public:
    ComfyMessages(std::string id, Json prompt);

    /// The messages of an event of docs/events.md, at that time (milliseconds since 1970).
    [[nodiscard]] std::vector<ComfyMessage> take(const Json& event, int64_t now);
    /// An image that a node of the graph shows, before its event: {"filename", "subfolder",
    /// "type"}.
    void show(const std::string& node, const Json& image);

    /// The node of ComfyUI's graph that a node of ours stands for; itself: none is known.
    [[nodiscard]] std::string nodeOf(const std::string& node) const;
    [[nodiscard]] std::string classOf(const std::string& comfyNode) const;
    /// What frames of previews have about the node.
    [[nodiscard]] Json nodeFields(const std::string& comfyNode) const;

    /// "outputs", "meta" and "status" of the history.
    [[nodiscard]] Json history() const;

private:
    void start(int64_t now, std::vector<ComfyMessage>& messages);
    void sendCached(int64_t now, std::vector<ComfyMessage>& messages);
    void begin(const std::string& node, std::vector<ComfyMessage>& messages);
    void progress(const Json& event, std::vector<ComfyMessage>& messages);
    void finish(const std::string& node, const Json& files, std::vector<ComfyMessage>& messages);
    void end(const Json& event, int64_t now, std::vector<ComfyMessage>& messages);
    void keep(std::string type, Json data, std::vector<ComfyMessage>& messages);
    [[nodiscard]] ComfyMessage stateMessage(bool mayBeMissed) const;

    const std::string id_;
    const Json prompt_;
    std::map<std::string, Json> states_;  ///< of progress_state, by node
    std::map<std::string, Json> outputs_;
    std::vector<std::string> executed_;
    std::vector<std::string> cached_;  ///< not sent yet
    std::string current_;
    bool hasStarted_ = false;
    bool hasSentCached_ = false;
    bool isCompleted_ = false;
    Json kept_ = Json::array();  ///< messages of the history
};

/// {"filename", "subfolder", "type"} of a name below the folder of that type.
[[nodiscard]] Json comfyFile(const std::string& name, const std::string& type);

}  // namespace lowtide::service
