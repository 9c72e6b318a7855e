#pragma once

#include "plugin/memory/plan.hpp"
#include "plugin/residency/pinned_masters.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::residency {

/// Pinned masters that outlive the stay that made them, so that a later stay of the component
/// copies what an earlier one read. Run thread only.
class PinnedStore {
public:
    /// Those of the last stay of `component` where they have the bytes of `wanted` and take at most
    /// `most`; else these go, and the new ones are empty. Not shared with another stay that is
    /// there: that has its own.
    [[nodiscard]] std::shared_ptr<PinnedMasters> take(
        std::shared_ptr<const memory::ComponentTree> component,
        const std::string& device,
        Bytes most,
        const std::vector<PinnedMasters::Master>& wanted,
        memory::Ledger& ledger);

    /// What no stay uses.
    [[nodiscard]] std::vector<memory::PinnedComponent> idle() const;
    using IsMeant = std::function<bool(const memory::ComponentTree&, const std::string& device)>;
    /// Unpins what no stay uses of the components that `isMeant`, and returns the bytes.
    Bytes drop(const IsMeant& isMeant);

private:
    struct Kept {
        std::shared_ptr<const memory::ComponentTree> tree;
        std::string device;
        std::shared_ptr<PinnedMasters> masters;

        [[nodiscard]] bool isIdle() const { return masters.use_count() == 1; }
    };

    std::vector<Kept> kept_;
};

}  // namespace lowtide::residency
