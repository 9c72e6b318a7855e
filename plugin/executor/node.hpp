#pragma once
// What a node implements and what it may ask. Internal: hosts see descriptions and the runner only.

#include "plugin/base/issue.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::image {
struct ImageText;
}

namespace lowtide::memory {
struct SmallerWork;
struct StageDevices;
struct StageWork;
struct ComponentTree;
}  // namespace lowtide::memory

namespace lowtide::executor {

/// A node's parameters with defaults filled in and types checked: get by id, never absent.
class Params {
public:
    virtual ~Params() = default;
    [[nodiscard]] virtual const Scalar& value(std::string_view id) const = 0;
    /// How precisely the node's networks shall compute.
    [[nodiscard]] virtual const memory::PrecisionChoice& precision() const = 0;

    [[nodiscard]] int64_t integer(std::string_view id) const {
        return std::get<int64_t>(value(id));
    }

    [[nodiscard]] uint64_t seed(std::string_view id) const { return std::get<uint64_t>(value(id)); }

    [[nodiscard]] double number(std::string_view id) const { return std::get<double>(value(id)); }

    [[nodiscard]] bool flag(std::string_view id) const { return std::get<bool>(value(id)); }

    [[nodiscard]] const std::string& text(std::string_view id) const {
        return std::get<std::string>(value(id));
    }
};

/// What is known of a value before the run: its type, its shape and, for what loading gives, the
/// value itself (a model is headers only, no weight is read).
struct ValueSpec {
    std::string type;
    Shape shape;
    std::vector<Bytes> tensors;  ///< where its node computes
    Bytes hostBytes = 0;         ///< in addition, always in host memory
    memory::WireRef value;

    /// What the tensors take on a device; a GPU gives each whole multiples of kSlotAlignment.
    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const;
};

/// Where a node has the value that passes it kept between runs.
enum class KeepTarget : uint8_t { Memory, Disk };

struct KeepRequest {
    KeepTarget target = KeepTarget::Memory;
    Bytes limit = 0;  ///< of everything that is kept there
};

/// What a node states before the run: which networks it runs and what will leave its outputs.
struct NodeSpec {
    /// Asked when the node will execute, or the graph is checked, on any thread: may open files,
    /// for their headers. Empty: no network.
    std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> components;
    std::vector<std::pair<std::string, ValueSpec>> outputs;
    /// Outside state that belongs in the result key: fingerprints of files that are read.
    std::vector<std::string> fingerprints;
    /// The stage on shapes alone, as the device at that position would hold it; run thread only, no
    /// weight is read; empty: nothing is computed on a device.
    std::function<memory::StageWork(const memory::StageDevices& target)> dryRun;
    /// How that takes less memory at the price of other results; run thread only. Empty: in no way.
    std::function<memory::SmallerWork(const memory::StageDevices& target)> smaller{};
    /// A control node's: the value behind its first output is looked up before the run, and kept
    /// when the node executes.
    std::optional<KeepRequest> keep;
    /// A control node's, asked like `components` and after them: what leaves its device when it
    /// runs, as Controls::offload takes it. Empty: nothing.
    std::function<std::vector<std::string>()> offloads{};
    /// How each of the node's networks is stored and computed, and what makes it lossy.
    std::vector<memory::ComponentPrecision> precisions{};
    /// Warnings about choices that go badly together; the run goes on.
    Issues issues{};
    /// What a host may show of the work before the run, by names of its own; null: nothing.
    std::shared_ptr<const Json> facts{};
    bool isOnHost = false;  ///< without networks: what it makes lies there, whatever the device is
};

/// Asked before a run, on any thread, without a device.
class SpecContext : public Params {
public:
    /// nullptr when an optional input is not connected.
    [[nodiscard]] virtual const ValueSpec* input(std::string_view port) const = 0;
    /// Whether a node of the run reads an output.
    [[nodiscard]] virtual bool isRead(std::string_view output) const = 0;
    /// The folder against which relative paths of the graph are resolved; empty: none.
    [[nodiscard]] virtual std::string_view graphFolder() const = 0;
};

/// The preview of something that is not done yet.
struct PreviewStep {
    int done = 0;  ///< units of the node's work, of `total`
    int total = 0;
    int scale = 1;  ///< pixels of the result for one of the preview, in both directions
};

/// What control nodes may do to memory while the run goes on. Each call is listed in the run's
/// report.
class Controls {
public:
    virtual ~Controls() = default;
    /// Components leave their devices now: patterns of roles, ids of trees, or "all". With
    /// `dropHost` their host copies are closed too.
    virtual void offload(std::span<const std::string> components, bool dropHost) = 0;
    /// Collects when a memory is as full as `threshold` percent (empty: the run's), or in any case
    /// when forced.
    virtual void collect(std::optional<int> threshold, bool isForced) = 0;
};

/// What a node sees while it runs, on the run thread.
class Context : public Params {
public:
    [[nodiscard]] virtual std::string_view nodeId() const = 0;
    /// nullptr when an optional input is not connected.
    [[nodiscard]] virtual memory::WireRef input(std::string_view port) const = 0;
    virtual void output(std::string_view port, memory::WireRef value) = 0;
    [[nodiscard]] virtual const StopToken& stop() const = 0;
    /// `phase` is a word or two for a user ("step", "decode"); `done` of `total` units of it.
    virtual void progress(std::string_view phase, double done, double total) = 0;
    /// An image that the node made, for the host to show.
    virtual void preview(const Image8& image) = 0;
    /// Whether the host wants to see what is not done yet.
    [[nodiscard]] virtual bool wantsPreviews() const = 0;
    /// How it looks by now; only where wantsPreviews(). A slow host misses some.
    virtual void previewStep(const Image8& image, const PreviewStep& step) = 0;
    virtual void issue(Issue issue) = 0;
    /// Facts about what the node did, for its entry in the run's report, under a name of their own.
    virtual void notify(std::string_view name, Json facts) = 0;
    /// A file that the node wrote, for the report and the host.
    virtual void wroteFile(std::string_view path) = 0;
    /// Folder for images, chosen by the user who runs.
    [[nodiscard]] virtual std::string_view outputFolder() const = 0;
    [[nodiscard]] virtual std::string_view graphFolder() const = 0;
    /// The graph as saved in images: compact JSON with the values that were used.
    [[nodiscard]] virtual const std::string& graphText() const = 0;
    /// The same as other programs read it; empty: none does.
    [[nodiscard]] virtual const std::vector<image::ImageText>& foreignTexts() const = 0;
    /// By node, how its network was stored and computed, as saved in images: compact JSON.
    [[nodiscard]] virtual const std::string& precisionText() const = 0;
    [[nodiscard]] virtual Controls& controls() = 0;
};

/// A node type: its description and two functions. Stateless; one object for all nodes of the type.
struct NodeType {
    NodeDesc desc;
    /// Pure and torch-free. Throws lowtide::Error (missing file, unknown family) that is shown
    /// before the run.
    std::function<NodeSpec(const SpecContext&)> spec;
    std::function<void(Context&)> run;
    /// The automatic collection point behind this stage: "prompt encode", "image encode",
    /// "denoise", "decode", "upscale", "adapter load", "controlnet", "ip adapter". Empty: none.
    std::string collectAfter;
    /// The point behind the last stage that uses its values: "adapter unload". A node with the same
    /// point hands on what it takes, and has it instead. Empty: none.
    std::string collectAtRelease{};
};

}  // namespace lowtide::executor
