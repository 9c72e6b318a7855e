#pragma once
// What a file or folder of weights is, from headers and shapes. Torch-free.

#include "plugin/models/checkpoint_paths.hpp"
#include "plugin/models/stored_shares.hpp"

#include <span>
#include <string>

namespace lowtide::models {

/// What was recognised. Texts are empty where nothing is known.
struct Recognised {
    std::string kind = "unknown";  ///< as Recogniser::recognise() has it
    std::string layout;            ///< a Layout's name
    std::string family;            ///< for people: "SD 1.x inpainting", "ESRGAN", "LoRA"
    bool isRunnable = false;       ///< whether this version runs it
    Bytes largest = 0;             ///< of the largest tensor
    StoredShares stored;           ///< of all tensors
    std::string problem;           ///< a sentence: why it cannot be used as what it is
};

struct Family;

/// Reads headers and settings, no weight. What is wrong with them becomes the problem.
[[nodiscard]] Recognised recogniseModel(const CheckpointPath& path,
                                        const std::string& resourcesFolder,
                                        std::span<const Family* const> families);

}  // namespace lowtide::models
