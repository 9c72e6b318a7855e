#pragma once
// A stage, described once: what it is called, the components that it runs, what comes out, how it
// runs. Its outline and its walk over shapes follow from that. Torch-free.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {
class ComponentSource;
class ModelHashes;
struct StageContext;
}  // namespace lowtide::models

namespace lowtide::nodes {

using memory::WireRef;

/// How a result looks after `done` of `total` units.
struct LivePicture {
    Image8 picture;
    int scale = 1;  ///< pixels of the result for one of `picture`, in both directions
    int done = 0;
    int total = 0;
};

/// What a stage may ask of the run it is part of.
struct StageCall {
    std::string node;
    StopToken stop;
    std::function<void(std::string_view phase, double done, double total)> progress;
    /// How the result looks meanwhile; empty: nobody wants to see it.
    std::function<void(const LivePicture&)> preview{};
    /// Facts of the stage for the report, under a name; may be empty: nobody wants them.
    std::function<void(std::string_view name, Json facts)> tell{};
    std::function<void(Issue)> issue;
};

/// What is known of a value before the run: stands in its place in a request that is outlined.
class KnownValue final : public memory::WireValue {
public:
    /// `shape` is empty and `value` says more, for what has no shape yet.
    KnownValue(std::string type, Shape shape, WireRef value = {})
        : type_(std::move(type)), shape_(std::move(shape)), value_(std::move(value)) {}

    [[nodiscard]] std::string_view type() const override { return type_; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] WireRef onHost() const override { return std::make_shared<KnownValue>(*this); }

    [[nodiscard]] const Shape& shape() const { return shape_; }

    /// executor::ValueOutline::value of the stage that makes it, or null; what was loaded itself.
    [[nodiscard]] const WireRef& value() const { return value_; }

private:
    std::string type_;
    Shape shape_;
    WireRef value_;
};

/// The value on a wire, or what is known in its place.
[[nodiscard]] inline const WireRef& meantBy(const WireRef& wire) {
    const auto* known = dynamic_cast<const KnownValue*>(wire.get());
    return known ? known->value() : wire;
}

/// What a stage says before it runs.
struct StageShapes {
    std::vector<executor::ValueOutline> outputs;
    Issues issues{};             ///< warnings about choices that go badly together
    bool runsComponents = true;  ///< else, asked so, it runs none
    /// Of files that it reads beside its components', for result keys.
    std::vector<std::string> fingerprints{};
    /// What a host may show of the work; null: nothing.
    std::shared_ptr<const Json> facts{};
};

/// What a stage is told when its outputs are asked.
struct StageFacts {
    std::vector<memory::ComponentPrecision> precisions;  ///< may get what makes a component lossy
    models::ModelHashes* hashes = nullptr;
};

/// Of the passes over its components that a stage takes, those that its walk takes.
struct WalkedShare {
    int64_t all = 1;
    int64_t walked = 1;
};

/// What a walk of a stage gave.
struct WalkedStage {
    WalkedShare share;
    std::vector<WireRef> results;
};

/// An input of a stage: its port and its place in the request.
template <class Request>
struct StageWire {
    std::string port;
    WireRef Request::*value;
};

/// The side of a stage's tiles: the parameter of nodes that states it, and its place in the
/// request.
template <class Request>
struct StageTile {
    const char* param = nullptr;
    int64_t Request::*pixels = nullptr;  ///< null: the stage has no tiles
};

/// A stage by what it is asked. A request holds KnownValues before the run and values in it; both
/// functions refuse, in the same words, what cannot be.
template <class Request>
struct StageDef {
    const char* name;
    std::vector<StageWire<Request>> wires{};
    /// The model or upscaler whose components it runs; null: it runs none.
    std::shared_ptr<const models::ComponentSource> (*source)(const Request& request) = nullptr;
    std::vector<std::string_view> roles{};       ///< patterns (memory::matchesRole)
    std::vector<std::string_view> addedRoles{};  ///< patterns of what a request need not bring
    /// The stage sets LibTorch's switches itself, for each of its components.
    bool hasOwnSwitches = false;
    /// What it makes on the device of any component but the first, it makes in passOver() or
    /// onDeviceOf().
    bool scopesElsewhere = false;
    /// Its outputs, from shapes and headers alone. Any thread.
    StageShapes (*shape)(const Request& request, StageFacts& facts) = nullptr;
    /// The values of its outputs. Run thread.
    std::vector<WireRef> (*run)(models::StageContext& context,
                                const Request& request,
                                const StageCall& call) = nullptr;
    /// Makes a request of many like passes one of a few, for a walk; null: all are walked.
    WalkedShare (*shorten)(models::StageContext& context, Request& request) = nullptr;
    /// Smaller tiles take less memory, and change pixels.
    StageTile<Request> tile{};
};

/// What takes the place of the value on a wire.
using WireOf = std::function<WireRef(std::string_view port, const WireRef& value)>;

/// A stage with what it is asked, whatever that is. What it refers to must outlive it.
struct StageTask {
    std::string name;
    std::function<std::shared_ptr<const models::ComponentSource>()> source;
    std::vector<std::string_view> roles;
    std::vector<std::string_view> addedRoles;
    memory::PrecisionChoice precision;
    bool hasOwnSwitches = false;
    bool scopesElsewhere = false;
    std::function<StageShapes(StageFacts&)> shape;
    std::function<std::vector<WireRef>(models::StageContext&, const StageCall&)> run;
    /// run() with other values on the wires, shortened.
    std::function<WalkedStage(models::StageContext&, const StageCall&, const WireOf&)> walk;
    /// What is on the wires, by ports.
    std::function<std::vector<std::pair<std::string, WireRef>>()> inputs;
    /// The stage with another side of its tiles; empty: it has none.
    std::function<StageTask(int64_t pixels)> inTiles{};
    const char* tileParam = nullptr;  ///< that states the side
    int64_t tilePixels = 0;           ///< what it states; 0: whole
};

/// What is asked as a task of that stage.
template <class Asked>
[[nodiscard]] StageTask taskOf(const std::shared_ptr<const StageDef<Asked>>& def, Asked asked) {
    const auto shared = std::make_shared<const Asked>(std::move(asked));
    StageTask task{.name = def->name,
                   .roles = def->roles,
                   .addedRoles = def->addedRoles,
                   .hasOwnSwitches = def->hasOwnSwitches,
                   .scopesElsewhere = def->scopesElsewhere};
    if (def->source) {
        task.source = [def, shared] { return def->source(*shared); };
    }
    if constexpr (requires { shared->precision; }) {
        task.precision = shared->precision;
    }
    task.shape = [def, shared](StageFacts& facts) { return def->shape(*shared, facts); };
    task.run = [def, shared](models::StageContext& context, const StageCall& call) {
        return def->run(context, *shared, call);
    };
    task.walk = [def, shared](
                    models::StageContext& context, const StageCall& call, const WireOf& wireOf) {
        Asked walked = *shared;
        const WalkedShare share = def->shorten ? def->shorten(context, walked) : WalkedShare();
        for (const StageWire<Asked>& wire : def->wires) {
            walked.*wire.value = wireOf(wire.port, walked.*wire.value);
        }
        return WalkedStage{.share = share, .results = def->run(context, walked, call)};
    };
    task.inputs = [def, shared] {
        std::vector<std::pair<std::string, WireRef>> inputs;
        for (const StageWire<Asked>& wire : def->wires) {
            inputs.emplace_back(wire.port, (*shared).*wire.value);
        }
        return inputs;
    };
    if (def->tile.pixels) {
        task.tileParam = def->tile.param;
        task.tilePixels = (*shared).*def->tile.pixels;
        task.inTiles = [def, shared](int64_t pixels) {
            Asked other = *shared;
            other.*def->tile.pixels = pixels;
            return taskOf(def, std::move(other));
        };
    }
    return task;
}

}  // namespace lowtide::nodes
