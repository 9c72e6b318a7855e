#pragma once

#include "plugin/memory/layout.hpp"

#include <optional>
#include <span>
#include <vector>

namespace lowtide::memory {

/// Residents of a component that arrives, in the order in which a pass uses them: each comes before
/// what streams and is used after it, so that the first pass waits for nothing that it needs later.
/// Pure: the same calls give the same residents, in a run and in a plan.
class Arrivals {
public:
    explicit Arrivals(const Layout& layout);

    /// The component arrives anew.
    void begin() noexcept { next_ = 0; }

    /// Residents that were not given yet and that a pass uses before `group`, which streams.
    [[nodiscard]] std::span<const GroupId> before(GroupId group);
    /// The rest of them behind the last group of a pass that streams; behind others none.
    [[nodiscard]] std::span<const GroupId> after(GroupId group);
    /// Those of a pass that were not given yet.
    [[nodiscard]] std::span<const GroupId> rest();

private:
    std::optional<GroupId> last_;     ///< that streams
    std::vector<GroupId> residents_;  ///< in the order of their first use
    std::vector<size_t> earlier_;     ///< per group: how many of them a pass uses before it
    size_t next_ = 0;                 ///< of the residents
};

}  // namespace lowtide::memory
