#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/recorder.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/unit/models/node_call.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::testing {

/// Nodes and what they stand on over a real residency, without executor.
class ModelBench {
public:
    /// `digests`: of files, null: the stages' own.
    explicit ModelBench(memory::DeviceSpec device = {},
                        std::shared_ptr<files::FileDigests> digests = {});
    ~ModelBench();

    [[nodiscard]] const memory::DeviceSpec& device() const { return device_; }

    [[nodiscard]] nodes::Stages& stages() { return *stages_; }

    [[nodiscard]] residency::Residency& residency() { return *residency_; }

    [[nodiscard]] nodes::WireRef load(const std::string& folder) {
        return stages_->loadCheckpoint({.checkpoint = folder}, "");
    }

    /// The model behind a wire value.
    [[nodiscard]] static const models::Model& modelOf(const nodes::WireRef& model);
    /// Of a conditioning of one chunk: [1, T, D].
    [[nodiscard]] static Shape wordsShape(const nodes::WireRef& model);
    [[nodiscard]] nodes::StageCall call(const std::string& node) const;

    /// The policy of the runs from now on; "none" at first.
    void setPolicy(const std::string& text) { policy_ = memory::parsePolicy(text); }

    /// Does `work` as the one node of a run that has `role` of the model on the device.
    void runWith(const nodes::WireRef& model,
                 std::string_view role,
                 const std::function<void()>& work);

    /// The same for the component of that tree.
    void runWith(const std::shared_ptr<const memory::ComponentTree>& tree,
                 const std::function<void()>& work);

    /// The same for several components.
    void runWith(std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                 const std::function<void()>& work);

    /// The most bytes that the ledger saw as activations of the last runWith() on the device.
    [[nodiscard]] Bytes activationPeak();

    /// Restarts the recording.
    void record();
    /// From now on denoisers go along what was recorded, and nothing is recorded.
    void goAlongRecorded();
    /// What was recorded, as a file would hold it.
    [[nodiscard]] TensorFile recorded() const;

private:
    memory::DeviceSpec device_;
    memory::Policy policy_ = memory::parsePolicy("none");
    std::unique_ptr<residency::Residency> residency_;
    std::unique_ptr<tensor::Recorder> recorder_;
    std::optional<tensor::RecordedTensors> teacher_;
    std::unique_ptr<nodes::Stages> stages_;
};

/// What is known of an empty latent before the run.
[[nodiscard]] nodes::WireRef emptyLatentSpec(int64_t width, int64_t height, int64_t batch = 1);

/// The mini model's folder in the source tree.
[[nodiscard]] std::string miniModel();

}  // namespace lowtide::testing
