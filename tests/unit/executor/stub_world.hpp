#pragma once
// What stub nodes share: values that are texts, a network, and a world that a test changes.

#include "plugin/executor/node_types.hpp"
#include "plugin/memory/component_tree.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::executor {

/// A text on a wire that weighs `bytes` on one device.
class StubValue final : public memory::WireValue, public std::enable_shared_from_this<StubValue> {
public:
    StubValue(std::string typeName, std::string content, std::string device, Bytes bytes)
        : text(std::move(content)),
          type_(std::move(typeName)),
          device_(std::move(device)),
          bytes_(bytes) {}

    std::string_view type() const override { return type_; }

    Bytes bytesOn(std::string_view deviceId) const override {
        return deviceId == device_ ? bytes_ : 0;
    }

    memory::WireRef onHost() const override {
        if (device_ == "cpu") {
            return shared_from_this();
        }
        return std::make_shared<StubValue>(type_, text, "cpu", bytes_);
    }

    const std::string text;

private:
    std::string type_;
    std::string device_;
    Bytes bytes_;
};

inline std::string textOf(const memory::WireRef& value) {
    return value ? dynamic_cast<const StubValue&>(*value).text : "-";
}

/// What the stub nodes do in addition to their work, and what they saved; shared by a test and its
/// nodes.
struct StubWorld {
    std::map<std::string, std::function<void(Context&)>> during;   ///< by node id, before the work
    std::map<std::string, std::vector<std::string>> fingerprints;  ///< by node type
    std::map<std::string, std::shared_ptr<const memory::ComponentTree>> components;  ///< by type
    std::function<void(const SpecContext&)> duringSourceSpec;
    std::string silentNode;  ///< a join that forgets its output
    std::string valueDevice = "cpu";
    Bytes valueBytes = 10;
    Bytes keepLimit = kMiB;  ///< of the keeping nodes

    void save(const std::string& text) {
        const std::lock_guard lock(mutex_);
        saved_.push_back(text);
    }

    std::vector<std::string> takeSaved() {
        const std::lock_guard lock(mutex_);
        return std::exchange(saved_, {});
    }

private:
    std::mutex mutex_;
    std::vector<std::string> saved_;
};

inline PortDesc stubPort(std::string id, std::string type, bool optional = false) {
    return {.id = std::move(id), .type = std::move(type), .optional = optional};
}

/// A network of one weight, in one file.
inline std::shared_ptr<const memory::ComponentTree> networkOf(Bytes bytes) {
    auto tree = std::make_shared<memory::ComponentTree>();
    tree->id = "network";
    tree->role = "network";
    tree->storages = {{.key = "w", .fileType = DType::U8, .elementCount = bytes}};
    tree->weights = {{.name = "w", .computeType = DType::U8, .shape = {bytes}}};
    tree->leaves = {{.name = "w", .weights = {0}}};
    return tree;
}

}  // namespace lowtide::executor
