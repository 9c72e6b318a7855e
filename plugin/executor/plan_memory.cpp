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
    Bytes bytes = sizeof(work) + work.turns.size() * sizeof(memory::ComponentTurn) +
                  work.elsewhere.size() * sizeof(*work.elsewhere.begin());
    for (const memory::ComponentWork& component : work.components) {
        bytes += sizeof(component) + component.pass.size() * sizeof(memory::LeafUse) +
                 component.sequence.size() * sizeof(memory::PassHint);
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

void addOutline(Hasher& hasher, const ValueOutline& outline) {
    hasher.add(outline.type).add(outline.hostBytes);
    addShape(hasher, outline.shape);
    addShape(hasher, outline.tensors);
}

void addParams(Hasher& hasher, const graph::SnapshotNode& node) {
    for (const auto& [id, value] : node.params) {
        if (!std::holds_alternative<uint64_t>(value)) {  // a seed changes numbers, no shape
            hasher.add(id).add(graph::canonicalText(value));
        }
    }
}

void addInput(Hasher& hasher, const OutlinedGraph& outlined, const graph::SnapshotInput& input) {
    hasher.add("input").add(input.port);
    const ValueOutline* outline = outputOf(outlined.work[input.sourceNode], input.sourcePort);
    addOutline(hasher, *outline);
    if (!outline->value) {
        return;
    }
    const std::optional<std::string> key = outline->value->outlineKey();
    hasher.add(key ? "as" : "from").add(key ? *key : outlined.keys[input.sourceNode]);
    hasher.add(key ? std::string_view() : input.sourcePort);
}

/// Cards answer for themselves, each by its id.
void addDevice(Hasher& hasher, const memory::StageDevice& device) {
    hasher.add(device.spec.id()).add(int64_t{device.isThere}).add(int64_t{device.decodesAtOnce});
}

void addPlace(Hasher& hasher, const memory::StagePlace& place) {
    addDevice(hasher, place.device);
    hasher.add(int64_t{place.previews});
    addTexts(hasher, "elsewhere", place.elsewhere);
    hasher.add("roles elsewhere").add(static_cast<int64_t>(place.rolesElsewhere.size()));
    for (const auto& [role, device] : place.rolesElsewhere) {
        hasher.add(role);
        addDevice(hasher, device);
    }
}

}  // namespace

memory::StageWork WalkMemory::workOf(const std::string& key,
                                     const Trees& components,
                                     const std::function<memory::StageWork()>& walk) {
    ++questions_;
    const auto found = known_.find(key);
    if (found != known_.end()) {
        if (auto work = over(found->second.work, found->second.trees, components)) {
            found->second.asked = questions_;
            return *std::move(work);
        }
    }
    ++walks_;
    memory::StageWork work = walk();
    remember(key, work);
    return work;
}

void WalkMemory::remember(const std::string& key, const memory::StageWork& work) {
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

void WalkMemory::forgetOldest() {
    const auto oldest =
        std::min_element(known_.begin(), known_.end(), [](const auto& left, const auto& right) {
            return left.second.asked < right.second.asked;
        });
    bytes_ -= oldest->second.bytes;
    known_.erase(oldest);
}

std::string walkKey(const graph::Snapshot& snapshot,
                    const OutlinedGraph& outlined,
                    size_t position,
                    const Trees& components,
                    const memory::StagePlace& place) {
    const graph::SnapshotNode& node = snapshot.nodes[position];
    const WorkOutline& work = outlined.work[position];
    Hasher hasher;
    hasher.add(node.desc->id).add(int64_t{node.desc->version});
    addPlace(hasher, place);
    addParams(hasher, node);
    addTexts(hasher, "files", work.fingerprints);
    for (const memory::ComponentPrecision& precision : work.precisions) {
        hasher.add("precision").add(memory::toJson(precision).dump());
    }
    for (const auto& tree : components) {
        hasher.add("tree").add(tree->id);
    }
    for (const graph::SnapshotInput& input : node.inputs) {
        addInput(hasher, outlined, input);
    }
    for (const auto& [port, outline] : work.outputs) {
        hasher.add("output").add(port);
        addOutline(hasher, outline);
    }
    return hasher.hexDigest();
}

namespace {

/// Of the newest run; the rest is what was known before.
constexpr double kShareOfNewest = 0.5;
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

/// What the networks of a stage computed; where copies run on no lane of their own, without what
/// was predicted for reading weights.
Seconds computedIn(const memory::StageTraffic& measured, const memory::StagePlan& planned) {
    return measured.lanes.empty() ? measured.seconds - (planned.seconds - planned.compute)
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
    for (size_t place = 0; place < request.nodes.size(); ++place) {
        const memory::NodeWork& node = request.nodes[place];
        const memory::StagePlan& planned = plan.stages[place];
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

/// The one learned longest ago makes room.
void WorkPaces::put(const std::string& key, double ratio) {
    const auto [place, isNew] = paces_.try_emplace(key);
    Pace& pace = place->second;
    pace.ratio = isNew ? ratio : pace.ratio + kShareOfNewest * (ratio - pace.ratio);
    pace.learned = ++lessons_;
    if (paces_.size() > kMostKept) {
        paces_.erase(
            std::min_element(paces_.begin(), paces_.end(), [](const auto& a, const auto& b) {
                return a.second.learned < b.second.learned;
            }));
    }
}

}  // namespace lowtide::executor
