#pragma once

#include "plugin/residency/device/cuda/cudnn_question.hpp"

#include <vector>

namespace lowtide::testing {

/// One suggestion of the played cuDNN.
struct PlayedConfig {
    int64_t engine = 0;
    std::vector<cudnnBackendNumericalNote_t> notes{};
    int64_t workspace = 0;
    bool plans = true;  ///< its plan can be made
};

/// A cuDNN that suggests what it was given. It keeps the rules of the real one that matter here:
/// only what is finalised may be a part of something else, or be read. One at a time.
class PlayedCudnn {
public:
    PlayedCudnn(std::vector<PlayedConfig> instant, std::vector<PlayedConfig> fallback);
    ~PlayedCudnn();
    PlayedCudnn(const PlayedCudnn&) = delete;
    PlayedCudnn& operator=(const PlayedCudnn&) = delete;

    [[nodiscard]] static residency::CudnnCalls calls();

    /// The call of that number fails, counted from 1; 0: none does.
    void failAt(int call);
    [[nodiscard]] int callCount() const;
    [[nodiscard]] int created() const;
    [[nodiscard]] int destroyed() const;
    /// Of tensors: the numbers that were set, in the order of their making.
    [[nodiscard]] std::vector<std::vector<int64_t>> tensorNumbers(
        cudnnBackendAttributeName_t name) const;
    /// Whether a plan and a list of suggestions were each given their GPU.
    [[nodiscard]] bool knowsGpu() const;
};

}  // namespace lowtide::testing
