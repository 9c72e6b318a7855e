#pragma once

#include "plugin/memory/component_tree.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace lowtide::models {

/// A network whose files are opened at its first use: a kept conditioning needs no encoder. Any
/// thread.
template <class Network>
class OpenedLater {
public:
    using Open = std::function<std::unique_ptr<const Network>()>;

    explicit OpenedLater(Open open) : open_(std::move(open)) {}

    /// The network; opens its files.
    [[nodiscard]] const Network& get() const {
        const std::lock_guard lock(mutex_);
        if (!network_) {
            network_ = open_();
        }
        return *network_;
    }

    /// Its tree; null as long as nobody asked for the network.
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree() const {
        const std::lock_guard lock(mutex_);
        return network_ ? network_->tree() : nullptr;
    }

private:
    Open open_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const Network> network_;
};

}  // namespace lowtide::models
