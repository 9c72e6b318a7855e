#pragma once

#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/snapshot.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

/// Which nodes of a snapshot have to execute; the others are cached or fed only what is.
struct Selection {
    std::vector<bool> executes;
    /// Kept results that executing nodes or outputs take, by node.
    std::map<size_t, std::shared_ptr<const CachedResult>> kept;

    /// Positions of the nodes that execute, in order.
    [[nodiscard]] std::vector<size_t> order() const;
};

/// The kept result of a node (a position in the snapshot) with at least these outputs; nullptr when
/// there is none.
using FindKept = std::function<std::shared_ptr<const CachedResult>(
    size_t node, const std::set<std::string>& outputs)>;

/// Looks in the cache; a kept node that wrote files counts only while they exist. `keys` as
/// resultKeys(); both must outlive the result.
[[nodiscard]] FindKept keptIn(ResultCache& cache, std::span<const std::string> keys);

/// Walks back from the outputs: a node executes when its result is wanted and not kept. A control
/// node executes exactly when something that it feeds executes. `find` empty: nothing is kept.
[[nodiscard]] Selection selectWork(const graph::Snapshot& snapshot, const FindKept& find);

/// The keys under which results are kept: the nodes' own, and for those that write outside the
/// graph also where.
[[nodiscard]] std::vector<std::string> resultKeys(const graph::Snapshot& snapshot,
                                                  std::span<const std::string> keys,
                                                  std::string_view outputFolder);

}  // namespace lowtide::executor
