#include "plugin/executor/plan_memory.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::executor {

namespace {

using Trees = std::vector<std::shared_ptr<const memory::ComponentTree>>;

/// The same work over the trees of those ids; nullopt where one of them is not there.
std::optional<memory::StageWork> over(memory::StageWork work,
                                      const std::vector<std::string>& ids,
                                      const Trees& trees) {
    for (size_t i = 0; i < ids.size(); ++i) {
        const auto found = std::find_if(
            trees.begin(), trees.end(), [&](const auto& tree) { return tree->id == ids[i]; });
        if (found == trees.end()) {
            return std::nullopt;
        }
        work.components[i].tree = *found;
    }
    return work;
}

Bytes bytesOfWork(const memory::StageWork& work) {
    Bytes bytes = sizeof(work) + work.bursts.size() * sizeof(memory::ComponentBurst) +
                  work.elsewhere.size() * sizeof(*work.elsewhere.begin());
    for (const memory::ComponentWork& component : work.components) {
        bytes += sizeof(component) + component.forward.size() * sizeof(memory::LeafUse) +
                 component.sequence.size() * sizeof(memory::ForwardHint);
        for (const auto& [number, pattern] : component.others) {
            bytes += sizeof(pattern) + pattern.size() * sizeof(memory::LeafUse);
        }
    }
    return bytes;
}

void addShape(Hasher& hasher, const Shape& shape) {
    hasher.add(static_cast<int64_t>(shape.size()));
    for (const int64_t side : shape) {
        hasher.add(side);
    }
}

void addTexts(Hasher& hasher, std::string_view what, const std::vector<std::string>& texts) {
    hasher.add(what).add(static_cast<int64_t>(texts.size()));
    for (const std::string& text : texts) {
        hasher.add(text);
    }
}

void addSpec(Hasher& hasher, const ValueSpec& spec) {
    hasher.add(spec.type).add(spec.hostBytes);
    addShape(hasher, spec.shape);
    addShape(hasher, spec.tensors);
}

void addParams(Hasher& hasher, const graph::SnapshotNode& node) {
    for (const auto& [id, value] : node.params) {
        if (!std::holds_alternative<uint64_t>(value)) {  // a seed changes numbers, no shape
            hasher.add(id).add(graph::canonicalText(value));
        }
    }
}

void addInput(Hasher& hasher, const GraphSpec& graphSpec, const graph::SnapshotInput& input) {
    hasher.add("input").add(input.port);
    const ValueSpec* spec = outputOf(graphSpec.work[input.sourceNode], input.sourcePort);
    addSpec(hasher, *spec);
    if (!spec->value) {
        return;
    }
    const std::optional<std::string> key = spec->value->specKey();
    hasher.add(key ? "as" : "from").add(key ? *key : graphSpec.keys[input.sourceNode]);
    hasher.add(key ? std::string_view() : input.sourcePort);
}

/// GPUs answer for themselves, each by its id.
void addDevice(Hasher& hasher, const memory::StageDevice& device) {
    hasher.add(device.spec.id()).add(int64_t{device.isThere}).add(int64_t{device.decodesAtOnce});
}

void addLocation(Hasher& hasher, const memory::StageDevices& devices) {
    addDevice(hasher, devices.device);
    hasher.add(int64_t{devices.previews});
    addTexts(hasher, "elsewhere", devices.elsewhere);
    hasher.add("roles elsewhere").add(static_cast<int64_t>(devices.rolesElsewhere.size()));
    for (const auto& [role, device] : devices.rolesElsewhere) {
        hasher.add(role);
        addDevice(hasher, device);
    }
}

}  // namespace

memory::StageWork DryRunCache::workOf(const std::string& key,
                                      const Trees& components,
                                      const std::function<memory::StageWork()>& dryRun) {
    ++questions_;
    const auto found = known_.find(key);
    if (found != known_.end()) {
        if (auto work = over(found->second.work, found->second.trees, components)) {
            found->second.asked = questions_;
            return *std::move(work);
        }
    }
    ++dryRuns_;
    memory::StageWork work = dryRun();
    remember(key, work);
    return work;
}

void DryRunCache::remember(const std::string& key, const memory::StageWork& work) {
    Known known{.work = work,
                .trees = {},
                .bytes = bytesOfWork(work) + static_cast<Bytes>(sizeof(Known) + key.size()),
                .asked = questions_};
    for (memory::ComponentWork& component : known.work.components) {
        known.trees.push_back(std::exchange(component.tree, nullptr)->id);
    }
    const auto before = known_.find(key);
    bytes_ += known.bytes - (before == known_.end() ? 0 : before->second.bytes);
    known_.insert_or_assign(key, std::move(known));
    while (bytes_ > kMostBytes) {
        forgetOldest();
    }
}

void DryRunCache::forgetOldest() {
    const auto oldest =
        std::min_element(known_.begin(), known_.end(), [](const auto& left, const auto& right) {
            return left.second.asked < right.second.asked;
        });
    bytes_ -= oldest->second.bytes;
    known_.erase(oldest);
}

std::string dryRunKey(const graph::Snapshot& snapshot,
                      const GraphSpec& graphSpec,
                      size_t position,
                      const Trees& components,
                      const memory::StageDevices& devices) {
    const graph::SnapshotNode& node = snapshot.nodes[position];
    const NodeSpec& work = graphSpec.work[position];
    Hasher hasher;
    hasher.add(node.desc->id).add(int64_t{node.desc->version});
    addLocation(hasher, devices);
    addParams(hasher, node);
    addTexts(hasher, "files", work.fingerprints);
    for (const memory::ComponentPrecision& precision : work.precisions) {
        hasher.add("precision").add(memory::toJson(precision).dump());
    }
    for (const auto& tree : components) {
        hasher.add("tree").add(tree->id);
    }
    for (const graph::SnapshotInput& input : node.inputs) {
        addInput(hasher, graphSpec, input);
    }
    for (const auto& [port, spec] : work.outputs) {
        hasher.add("output").add(port);
        addSpec(hasher, spec);
    }
    return hasher.hexDigest();
}

namespace {

/// Of the newest run; the rest is what was known before.
constexpr double kFractionOfNewest = 0.5;
/// What is further off than this was disturbed, or too short to be measured.
constexpr double kSlowest = 1000;
constexpr double kFastest = 0.001;

const memory::PlanDevice* openedDevice(const memory::PlanRequest& request, const std::string& id) {
    const auto found = std::find_if(request.devices.begin(),
                                    request.devices.end(),
                                    [&](const auto& device) { return device.spec.id() == id; });
    return found == request.devices.end() ? nullptr : &*found;
}

/// Device and networks of a node; empty where it has none, or one of them is on a card that is
/// rehearsed or not there.
std::string keyOf(const memory::PlanRequest& request, const memory::NodeWork& node) {
    std::string key;
    for (const auto& tree : node.components) {
        const std::string device = node.deviceOf(*tree, request.device).id();
        const memory::PlanDevice* known = openedDevice(request, device);
        if (!known || known->traits.isRehearsal || !known->card.empty()) {
            return {};
        }
        key += device + " " + tree->id + "\n";
    }
    return key;
}

/// What the networks of a stage computed; where copies run on no copy queue of their own, without
/// what was predicted for reading weights.
Seconds computedIn(const memory::StageTraffic& measured, const memory::StagePlan& planned) {
    return measured.copyQueues.empty() ? measured.seconds - (planned.seconds - planned.compute)
                                       : measured.compute();
}

}  // namespace

void WorkPaces::apply(memory::PlanRequest& request) const {
    for (memory::NodeWork& node : request.nodes) {
        const auto known = paces_.find(keyOf(request, node));
        node.pace = known == paces_.end() ? 1 : known->second.ratio;
    }
}

void WorkPaces::learn(const memory::PlanRequest& request,
                      const memory::Plan& plan,
                      const memory::Traffic& traffic) {
    for (size_t devices = 0; devices < request.nodes.size(); ++devices) {
        const memory::NodeWork& node = request.nodes[devices];
        const memory::StagePlan& planned = plan.stages[devices];
        const std::string key = keyOf(request, node);
        const auto measured =
            std::find_if(traffic.stages.rbegin(), traffic.stages.rend(), [&](const auto& stage) {
                return stage.node == node.node;
            });
        if (key.empty() || planned.compute <= 0 || measured == traffic.stages.rend()) {
            continue;
        }
        const double pace = node.pace * computedIn(*measured, planned) / planned.compute;
        if (pace < kFastest || pace > kSlowest) {
            continue;
        }
        put(key, pace);
    }
}

/// The one learned longest ago goes.
void WorkPaces::put(const std::string& key, double ratio) {
    const auto [devices, isNew] = paces_.try_emplace(key);
    Pace& pace = devices->second;
    pace.ratio = isNew ? ratio : pace.ratio + kFractionOfNewest * (ratio - pace.ratio);
    pace.learned = ++lessons_;
    if (paces_.size() > kMostKept) {
        paces_.erase(
            std::min_element(paces_.begin(), paces_.end(), [](const auto& a, const auto& b) {
                return a.second.learned < b.second.learned;
            }));
    }
}

}  // namespace lowtide::executor
