#include "plugin/residency/residency.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/memory/card.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/collection.hpp"
#include "plugin/residency/run.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

/// What a run adds to a process besides all that its plan knows: tables, stacks, libraries.
constexpr Bytes kOwnPages = 64 * kMiB;

/// Ends a lease: what compute was given until then is the leaf's last use.
class LeafHolder final : public Lease::Holder {
public:
    LeafHolder(ComponentResidency& residency, memory::LeafId leaf)
        : residency_(residency), leaf_(leaf) {
        residency_.lease(leaf_);
    }

    ~LeafHolder() override { residency_.release(leaf_); }

private:
    ComponentResidency& residency_;
    memory::LeafId leaf_;
};

const memory::Leaf& leafOf(const memory::ComponentTree& tree,
                           memory::LeafId leaf,
                           bool isGathered) {
    LOWTIDE_ASSERT(leaf < tree.leaves.size());
    const memory::Leaf& found = tree.leaves[leaf];
    if (found.gathered != isGathered) {
        throw Error(
            ErrorKind::Internal,
            isGathered ? message("{}.{} is no table whose rows are gathered", tree.role, found.name)
                       : message("{}.{} is a table whose rows are gathered; it has no lease",
                                 tree.role,
                                 found.name));
    }
    return found;
}

/// Reads rows of a table one by one into a host tensor [ids, columns].
at::Tensor readRows(const HostWeightStore& hostWeights,
                    const memory::ComponentTree& tree,
                    const memory::Weight& table,
                    const at::Tensor& flat,
                    DType type,
                    const StopToken& stop) {
    const int64_t rowCount = table.shape[0];
    const int64_t columns = table.shape[1];
    at::Tensor rows = at::empty({flat.numel(), columns}, at::TensorOptions(scalarTypeOf(type)));
    auto* target = static_cast<std::byte*>(rows.data_ptr());
    const auto* id = flat.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < flat.numel(); ++i) {
        if (id[i] < 0 || id[i] >= rowCount) {
            throw Error(ErrorKind::InvalidInput,
                        message("{}.{} has rows 0 to {}, row {} was asked for",
                                tree.role,
                                table.name,
                                rowCount - 1,
                                id[i]));
        }
        hostWeights.readElements(tree,
                                 table.storage,
                                 type,
                                 id[i] * columns,
                                 columns,
                                 target + i * columns * sizeOf(type),
                                 stop);
    }
    return rows;
}

/// The changes of a gathered table with their factors on the host.
struct TableChanges {
    std::vector<FactoredDelta> deltas;
    Bytes read = 0;
};

TableChanges tableChanges(const HostWeightStore& hostWeights,
                          const memory::ComponentTree& tree,
                          memory::StorageId table,
                          const StopToken& stop) {
    TableChanges found;
    const auto read = [&](memory::WeightId factor) {
        const memory::Weight& weight = tree.weights[factor];
        const memory::Storage& storage = tree.storages[weight.storage];
        at::Tensor values =
            at::empty(weight.shape, at::TensorOptions(scalarTypeOf(weight.computeType)));
        hostWeights.readElements(tree,
                                 weight.storage,
                                 weight.computeType,
                                 0,
                                 storage.elementCount,
                                 static_cast<std::byte*>(values.data_ptr()),
                                 stop);
        found.read += storage.readBytes();
        return values;
    };
    found.deltas = factored(tree.deltasOf(table), read);
    return found;
}

Bytes hostBudgetOf(const memory::Plan& plan) {
    const memory::DevicePlan* host = plan.device({.kind = "cpu"});
    return host ? host->capacity : 0;
}

}  // namespace

struct Residency::State {
    explicit State(std::unique_ptr<DeviceSource> source) : devices(std::move(source)) {}

    [[nodiscard]] Run& running() const {
        LOWTIDE_ASSERT(run != nullptr);
        return *run;
    }

    /// A failure of a run because a device was lost names the device and the reason.
    template <typename Work>
    decltype(auto) namingLost(const Work& work) {
        try {
            return work();
        } catch (...) {
            if (run) {
                run->requireDevices();
            }
            throw;
        }
    }

    Bytes unpinNamed(std::string_view component) {
        return accounting.pins.drop([&](const memory::ComponentTree& tree, const std::string&) {
            return isNamed(tree, component);
        });
    }

    Accounting accounting;
    Collector collector;
    Bytes mostPrivate = 0;  ///< private pages of the process in a run with a budget; 0: none
    OpenDevices devices;
    Leftovers leftovers;
    std::unique_ptr<Run> run;
    StopToken neverStops;
};

Residency::Residency(std::unique_ptr<DeviceSource> devices, std::shared_ptr<const DeltaMath> deltas)
    : state_(std::make_unique<State>(std::move(devices))) {
    state_->accounting.deltas = std::move(deltas);
}

Residency::~Residency() {
    end(memory::Outcome::Failed);
    state_->accounting.noteThrown([this] { release("all"); });
}

memory::DeviceInfo Residency::open(const memory::DeviceSpec& spec) {
    const DeviceState* known = state_->devices.find(spec.id());
    if (state_->run && known && (spec.capacity || spec.spill) && spec != known->spec) {
        throw Error(ErrorKind::InvalidInput,
                    message("the device {} cannot become {} while a run uses it",
                            toText(known->spec),
                            toText(spec)),
                    message("wait until the run has ended"));
    }
    DeviceState& device = state_->devices.getAsSpecified(spec);
    device.device->attachThread();
    return device.device->info();
}

/// What may be pinned is a fraction of what the host has free, and what is pinned is not free.
memory::DeviceTraits Residency::traits(const memory::DeviceSpec& spec) {
    memory::DeviceTraits traits = state_->devices.get(spec).device->traits();
    for (const memory::PinnedComponent& pinned : pinnedComponents()) {
        const bool counts = traits.pinnable > 0 && pinned.device == spec.id();
        traits.pinnable += counts ? memory::pinnableOf(pinned.bytes) : 0;
    }
    return traits;
}

memory::DeviceProfile Residency::profile(const memory::DeviceSpec& spec) {
    return state_->devices.profile(spec);
}

void Residency::setProfiles(ProfileLookup lookup) {
    state_->devices.setProfiles(std::move(lookup));
}

std::vector<memory::DeviceInfo> Residency::devices() {
    return state_->devices.source().available();
}

void Residency::finishCompute(const memory::DeviceSpec& spec) {
    state_->devices.get(spec).device->finishCompute();
}

void Residency::begin(std::shared_ptr<const memory::Plan> plan, const StopToken& stop) {
    LOWTIDE_ASSERT(!state_->run);
    state_->accounting.traffic.reset();
    state_->mostPrivate = 0;
    if (const Bytes budget = hostBudgetOf(*plan); budget > 0) {
        const Bytes others = residentPrivateNow() - state_->accounting.ledger.bytesOn("cpu");
        state_->mostPrivate = std::max<Bytes>(0, others) + budget + kOwnPages;
    }
    auto run = std::make_unique<Run>(
        state_->devices, state_->accounting, state_->leftovers, std::move(plan), stop);
    run->prepare(WeightFiles::Check);
    state_->run = std::move(run);
}

void Residency::enter(memory::NodeIndex node) {
    state_->namingLost([&] { state_->running().enter(node); });
}

void Residency::confirm(memory::NodeIndex node) {
    state_->namingLost([&] { state_->running().confirm(node); });
}

void Residency::requireDevices() {
    if (state_->run) {
        state_->run->requireDevices();
    }
}

void Residency::leave(memory::NodeIndex node) noexcept {
    state_->accounting.noteThrown([&] { state_->running().leave(node); });
}

void Residency::replan(std::shared_ptr<const memory::Plan> plan) {
    const StopToken stop = state_->running().stop();
    state_->run->finish(memory::Outcome::Finished);
    auto run = std::make_unique<Run>(
        state_->devices, state_->accounting, state_->leftovers, std::move(plan), stop);
    state_->run.reset();
    run->prepare(WeightFiles::AsTheyAre);
    state_->run = std::move(run);
}

void Residency::end(memory::Outcome outcome) noexcept {
    if (!state_->run) {
        return;
    }
    state_->run->finish(outcome);
    state_->run.reset();
    state_->accounting.noteThrown([this] {
        for (const std::string& hazard : hazards()) {
            log(Level::Error, "ordering fault: " + hazard);
        }
    });
}

Bytes Residency::release(std::string_view component) {
    if (state_->run) {
        throw Error(ErrorKind::InvalidInput,
                    message("components cannot be released while a run uses them"),
                    message("wait until the run has ended"));
    }
    const Bytes unpinned = state_->unpinNamed(component);
    return unpinned + offload(component, false);
}

std::vector<memory::PinnedComponent> Residency::pinnedComponents() const {
    return state_->accounting.pins.idle();
}

Bytes Residency::unpin(const memory::PinnedComponent& pinned) {
    return state_->accounting.pins.drop(
        [&](const memory::ComponentTree& tree, const std::string& device) {
            return tree.id == pinned.tree && device == pinned.device;
        });
}

memory::MemoryState Residency::memoryState(const memory::DeviceSpec& spec) {
    return state_->collector.stateOf(*state_->devices.get(spec).device);
}

Bytes Residency::collect(const memory::DeviceSpec& spec) {
    return state_->collector.collectOn(*state_->devices.get(spec).device);
}

/// Kept components that the run does not use leave too.
Bytes Residency::offload(std::string_view component, bool dropHost) {
    state_->leftovers.dropReleased();
    Bytes released = state_->run ? state_->run->offload(component, dropHost) : 0;
    std::vector<ComponentResidencyRef> remaining;
    for (ComponentResidencyRef& kept : state_->leftovers.kept) {
        const memory::ComponentTree& tree = kept->tree();
        if (!isNamed(tree, component)) {
            remaining.push_back(std::move(kept));
            continue;
        }
        released += kept->layout().bytes();
        kept->deactivate({});
        kept->device().device->drain();
        if (dropHost && !(state_->run && state_->run->findActive(tree))) {
            state_->accounting.hostWeights.close(tree);
        }
    }
    state_->leftovers.kept = std::move(remaining);
    if (dropHost) {
        state_->unpinNamed(component);
    }
    return released;
}

std::vector<memory::KeptComponent> Residency::keptComponents() const {
    std::vector<memory::KeptComponent> found;
    for (const ComponentResidencyRef& kept : state_->leftovers.kept) {
        found.push_back({.tree = kept->tree().id,
                         .device = kept->device().id,
                         .bytes = kept->layout().bytes(),
                         .role = kept->tree().role,
                         .weights = kept->tree().weightsId(),
                         .base = kept->tree().baseId});
    }
    return found;
}

memory::Ledger& Residency::ledger() noexcept {
    return state_->accounting.ledger;
}

memory::Traffic Residency::traffic() const noexcept {
    return state_->accounting.traffic.snapshot();
}

Bytes Residency::allocatedOn(const memory::DeviceSpec& spec) const {
    const DeviceState* device = state_->devices.find(spec.id());
    return device ? device->device->allocated() : 0;
}

std::optional<memory::RehearsalCounts> Residency::rehearsal(const memory::DeviceSpec& spec) const {
    const DeviceState* device = state_->devices.find(spec.id());
    return device ? device->device->extras().rehearsal() : std::nullopt;
}

std::vector<std::string> Residency::hazards() const {
    std::vector<std::string> found;
    for (const auto& [id, device] : state_->devices.all()) {
        const std::vector<std::string> more = device->device->extras().hazards();
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

void Residency::beginForward(const memory::ComponentTree& tree, const memory::ForwardHint& hint) {
    ComponentResidency& residency = state_->namingLost(
        [&]() -> ComponentResidency& { return state_->running().broughtResidency(tree); });
    state_->accounting.traffic.beginForward(hint.pattern);
    residency.beginForward(hint);
}

Lease Residency::use(const memory::ComponentTree& tree, memory::LeafId leaf) {
    leafOf(tree, leaf, false);
    Run& run = state_->running();
    if (state_->mostPrivate > 0) {
        state_->collector.keepBelow(state_->mostPrivate - run.mappedOnHost());
    }
    return state_->namingLost([&] {
        ComponentResidency& residency = run.broughtResidency(tree, leaf);
        residency.use(leaf, run.stop(), run.nodeName());
        state_->accounting.traffic.addLease();
        run.activations().note();
        auto holder = std::make_unique<LeafHolder>(residency, leaf);
        return Lease(residency.tensors(tree, leaf), std::move(holder));
    });
}

at::Tensor Residency::gatherRows(const memory::ComponentTree& tree,
                                 memory::LeafId leaf,
                                 const at::Tensor& ids) {
    const memory::Leaf& found = leafOf(tree, leaf, true);
    Run& run = state_->running();
    const DeviceState& device = run.deviceOf(tree);
    const memory::Weight& table = tree.weights[found.weights.front()];
    LOWTIDE_ASSERT(found.ownWeights().size() == 1 && table.shape.size() == 2);
    const HostWeightStore& hostWeights = state_->accounting.hostWeights;
    const at::Tensor flat = ids.reshape({-1}).contiguous();
    const bool isChanged = found.factorCount > 0;
    at::Tensor rows = readRows(
        hostWeights, tree, table, flat, isChanged ? DType::F32 : table.computeType, run.stop());
    Bytes read = tree.storages[table.storage].bytesOf(rows.numel());
    if (isChanged) {
        const TableChanges made = tableChanges(hostWeights, tree, table.storage, run.stop());
        state_->accounting.mathOf(tree).applyToRows(rows, flat, made.deltas);
        rows = rows.to(scalarTypeOf(table.computeType));
        read += made.read;
    }
    std::vector<int64_t> sizes = ids.sizes().vec();
    sizes.push_back(table.shape[1]);
    rows = rows.view(sizes);
    if (device.device->torchDevice().is_cpu()) {
        state_->accounting.traffic.addRead(read);
        return rows;
    }
    state_->accounting.traffic.addRows(static_cast<Bytes>(rows.nbytes()), read);
    return state_->namingLost([&] { return rows.to(device.device->torchDevice()); });
}

c10::Device Residency::torchDeviceOf(const memory::ComponentTree& tree) {
    return state_->running().deviceOf(tree).device->torchDevice();
}

at::Tensor Residency::runForward(const memory::ComponentTree& tree,
                                 const ForwardInputs& inputs,
                                 const ForwardWork& work) {
    Run& run = state_->running();
    return state_->namingLost(
        [&] { return run.broughtResidency(tree).runForward(inputs, work, run.nodeName()); });
}

void Residency::finishCompute(const memory::ComponentTree& tree) {
    state_->namingLost([&] { state_->running().deviceOf(tree).device->finishCompute(); });
}

const StopToken& Residency::stop() const noexcept {
    return state_->run ? state_->run->stop() : state_->neverStops;
}

}  // namespace lowtide::residency
