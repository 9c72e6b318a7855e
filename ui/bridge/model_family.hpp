#pragma once

#include "plugin/files/safetensors.hpp"
#include "ui/bridge/model_file.hpp"

namespace lowtide::ui {

/// Tensors of a header by name.
using ModelTensors = std::map<std::string, files::TensorInfo, std::less<>>;

struct RecognisedModel {
    ModelKind kind = ModelKind::Other;
    std::string family;
    bool isRunnable = false;
};

/// What the names and shapes of a file say that it is. This is for people who choose a file; what
/// runs is decided by the module when it opens it.
[[nodiscard]] RecognisedModel recognise(const ModelTensors& tensors);
/// The same of a folder in the diffusers layout, by the class of its pipeline and the width of the
/// text that its denoiser attends to (0: not stated).
[[nodiscard]] RecognisedModel recognisePipeline(const std::string& pipelineClass,
                                                int64_t textWidth);

}  // namespace lowtide::ui
