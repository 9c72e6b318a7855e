#pragma once

#include "plugin/residency/open_devices.hpp"
#include "plugin/residency/weight_source.hpp"

#include <memory>
#include <vector>

namespace lowtide::residency {

/// One pass over a component whose weights lie where they are while a node runs: computed once,
/// then recorded, then done again from the record with the bits of the first way. One record at a
/// time; passes with inputs of other shapes are computed. Run thread only.
class PassReplay {
public:
    explicit PassReplay(DeviceState& device) : device_(device) {}

    /// `areThere`: no weight has to come, to be waited for or to be patched. What the device cannot
    /// record is computed, from then on always.
    [[nodiscard]] at::Tensor run(const PassInputs& inputs, bool areThere, const PassWork& work);

    /// Whether the device takes down what it is given now.
    [[nodiscard]] bool isRecording() const { return isRecording_; }

    [[nodiscard]] bool hasRecord() const { return record_ != nullptr; }

    /// What compute is given from now on may take the record's memory.
    void forget();

private:
    struct Outline {
        bool isDefined = false;
        std::vector<int64_t> sizes{};
        at::ScalarType type = at::kFloat;

        bool operator==(const Outline&) const = default;
    };

    static std::vector<Outline> outlinesOf(const PassInputs& inputs);
    void record(const PassInputs& inputs, const PassWork& work);

    DeviceState& device_;
    std::vector<Outline> outlines_;  ///< of the last pass, or of the record
    PassInputs inputs_;              ///< of the record: what it reads
    at::Tensor output_;              ///< what it writes
    std::unique_ptr<WorkRecord> record_;
    bool isRecording_ = false;
    bool isRefused_ = false;
};

}  // namespace lowtide::residency
