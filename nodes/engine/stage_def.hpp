#pragma once
// A stage, described once: what it is called, the components that it runs, what comes out, how it
// runs. Its spec and its dry run over shapes follow from that. Torch-free.

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
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {
class ComponentSource;
class ModelHashes;
struct StageContext;
}  // namespace lowtide::models

namespace lowtide::nodes {

using memory::WireRef;

/// How a result looks after `done` of `total` units.
struct LiveImage {
    Image8 image;
    int scale = 1;  ///< pixels of the result for one of `image`, in both directions
    int done = 0;
    int total = 0;
};

/// What a stage may ask of the run it is part of.
struct StageCall {
    std::string node;
    StopToken stop;
    std::function<void(std::string_view phase, double done, double total)> progress;
    /// How the result looks meanwhile; empty: nobody wants to see it.
    std::function<void(const LiveImage&)> preview{};
    /// Facts of the stage for the report, under a name; may be empty: nobody wants them.
    std::function<void(std::string_view name, Json facts)> notify{};
    std::function<void(Issue)> issue;
};

/// Reports how much of a stage is done, once the device has done what it was given with `network`:
/// on a GPU work is queued.
void reportProgress(models::StageContext& context,
                    const memory::ComponentTree& network,
                    const StageCall& call,
                    std::string_view phase,
                    int64_t done,
                    int64_t total);

/// What is known of a value before the run, on the wire in its place: tensors would have to be made
/// on whatever thread asks, and of any size that somebody typed.
class Placeholder final : public memory::WireValue {
public:
    explicit Placeholder(executor::ValueSpec spec) : spec_(std::move(spec)) {}

    [[nodiscard]] std::string_view type() const override { return spec_.type; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] WireRef onHost() const override { return std::make_shared<Placeholder>(*this); }

    /// As the node before it states it: without a shape where there is none yet, with the value
    /// itself where it was loaded.
    [[nodiscard]] const executor::ValueSpec& spec() const { return spec_; }

private:
    executor::ValueSpec spec_;
};

/// The value on a wire, or what is known in its place.
[[nodiscard]] inline const WireRef& meantBy(const WireRef& wire) {
    const auto* placeholder = dynamic_cast<const Placeholder*>(wire.get());
    return placeholder ? placeholder->spec().value : wire;
}

/// What a stage states before it runs.
struct StageShapes {
    std::vector<executor::ValueSpec> outputs;
    Issues issues{};             ///< warnings about choices that go badly together
    bool runsComponents = true;  ///< else, asked so, it runs none
    /// Fingerprints of files that it reads in addition to its components', for result keys.
    std::vector<std::string> fingerprints{};
    /// What a host may show of the work; null: nothing.
    std::shared_ptr<const Json> facts{};
};

/// What a stage is given when its outputs are asked.
struct StageFacts {
    std::vector<memory::ComponentPrecision> precisions;  ///< may get what makes a component lossy
    models::ModelHashes* hashes = nullptr;
};

/// Of the forwards of its components that a stage takes, those that its dry run takes.
struct DryRunFraction {
    int64_t all = 1;
    int64_t shortened = 1;
};

/// Id of the parameter that states the side of a stage's tiles.
inline constexpr const char* kTileParam = "tile";

/// A stage by what it is asked: placeholders on its wires before the run, values in it. Both
/// functions refuse, in the same words, what cannot be.
template <class Asked>
struct StageDef {
    const char* name;
    /// The model or upscaler whose components it runs; null: it runs none.
    std::shared_ptr<const models::ComponentSource> (*source)(const Asked& asked) = nullptr;
    std::vector<std::string_view> roles{};       ///< patterns (memory::matchesRole)
    std::vector<std::string_view> addedRoles{};  ///< patterns of what need not be there
    /// The stage sets LibTorch's switches itself, for each of its components.
    bool hasOwnSwitches = false;
    /// What it makes on the device of any component but the first, it makes in skipForward() or
    /// onDeviceOf().
    bool scopesElsewhere = false;
    /// Its outputs, from shapes and headers alone. Any thread.
    StageShapes (*shape)(const Asked& asked, StageFacts& facts) = nullptr;
    /// The values of its outputs. Run thread.
    std::vector<WireRef> (*run)(models::StageContext& context,
                                const Asked& asked,
                                const StageCall& call) = nullptr;
    /// Asks for a few of many like forwards, for a dry run; null: the dry run takes all.
    DryRunFraction (*shorten)(models::StageContext& context, Asked& asked) = nullptr;
    /// Side of its tiles, the node's parameter kTileParam: smaller ones take less memory, and
    /// change pixels. Null: it has no tiles.
    int64_t Asked::*tilePixels = nullptr;
};

/// What takes the place of the value on a wire.
using WireOf = std::function<WireRef(std::string_view port, const WireRef& value)>;

/// A stage with what it is asked, whatever that is: what specs, runs and dry runs see of a
/// StageDef.
struct Stage {
    virtual ~Stage() = default;

    [[nodiscard]] virtual std::shared_ptr<const models::ComponentSource> source() const = 0;
    /// What is on its wires, by ports.
    [[nodiscard]] virtual std::vector<std::pair<std::string, WireRef>> inputs() const = 0;
    [[nodiscard]] virtual StageShapes shape(StageFacts& facts) const = 0;
    [[nodiscard]] virtual std::vector<WireRef> run(models::StageContext& context,
                                                   const StageCall& call) const = 0;
    /// Shortened, then with other values on its wires.
    [[nodiscard]] virtual std::shared_ptr<const Stage> forDryRun(models::StageContext& context,
                                                                 const WireOf& wireOf) const = 0;
    /// With tiles of another side. Only where it has tiles.
    [[nodiscard]] virtual std::shared_ptr<const Stage> inTiles(int64_t pixels) const = 0;

    std::string name;
    std::vector<std::string_view> roles;
    std::vector<std::string_view> addedRoles;
    bool hasOwnSwitches = false;
    bool scopesElsewhere = false;
    memory::PrecisionChoice precision;
    std::optional<int64_t> tilePixels;  ///< 0: whole; nullopt: it has no tiles
    DryRunFraction fraction{};          ///< of one for a dry run
};

}  // namespace lowtide::nodes
