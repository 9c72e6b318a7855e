#include "plugin/executor/selection.hpp"

#include "plugin/base/hash.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::executor {

namespace {

bool allExist(const std::vector<std::string>& files) {
    return std::all_of(files.begin(), files.end(), [](const std::string& file) {
        std::error_code error;
        return std::filesystem::exists(file, error);
    });
}

bool holdsAll(const CachedResult& result, const std::set<std::string>& ports) {
    return std::all_of(ports.begin(), ports.end(), [&](const std::string& port) {
        return result.outputs.contains(port);
    });
}

}  // namespace

std::vector<size_t> Selection::order() const {
    std::vector<size_t> positions;
    for (size_t node = 0; node < executes.size(); ++node) {
        if (executes[node]) {
            positions.push_back(node);
        }
    }
    return positions;
}

FindKept keptIn(ResultCache& cache, std::span<const std::string> keys) {
    return [&cache, keys](size_t node, const std::set<std::string>& outputs) {
        auto kept = cache.find(keys[node]);
        const bool isUsable = kept && holdsAll(*kept, outputs) && allExist(kept->files);
        return isUsable ? kept : nullptr;
    };
}

Selection selectWork(const graph::Snapshot& snapshot, const FindKept& find) {
    Selection selection;
    selection.executes.assign(snapshot.nodes.size(), false);
    std::vector<std::set<std::string>> taken(snapshot.nodes.size());  // outputs that are wanted
    for (size_t node = snapshot.nodes.size(); node-- > 0;) {
        const NodeDesc& desc = *snapshot.nodes[node].desc;
        if (taken[node].empty() && !snapshot.nodes[node].isWanted) {
            continue;
        }
        if (find && !desc.control) {
            if (auto kept = find(node, taken[node])) {
                selection.kept.emplace(node, std::move(kept));
                continue;
            }
        }
        selection.executes[node] = true;
        for (const graph::SnapshotInput& input : snapshot.nodes[node].inputs) {
            taken[input.sourceNode].insert(input.sourcePort);
        }
    }
    return selection;
}

std::vector<std::string> resultKeys(const graph::Snapshot& snapshot,
                                    std::span<const std::string> keys,
                                    std::string_view outputFolder) {
    std::vector<std::string> result(keys.begin(), keys.end());
    for (size_t node = 0; node < result.size(); ++node) {
        if (snapshot.nodes[node].desc->sideEffect) {
            result[node] = Hasher().add(keys[node]).add(outputFolder).hexDigest();
        }
    }
    return result;
}

}  // namespace lowtide::executor
