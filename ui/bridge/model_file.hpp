#pragma once

#include "plugin/base/units.hpp"
#include "ui/models/model_kind.hpp"

#include <cstdint>
#include <string>

namespace lowtide {

class Recogniser;

}  // namespace lowtide

namespace lowtide::ui {

/// A file of weights, or a folder in the diffusers layout, as the module recognises it.
struct ModelFile {
    std::string path;
    std::string name;  ///< the last part of the path
    ModelKind kind = ModelKind::Other;
    std::string family;       ///< "SD 1.x", "ESRGAN", "LoRA"; empty: not recognised
    bool isRunnable = false;  ///< whether this version runs it, alone or with what it needs
    std::string needs;        ///< a file that it lacks, or the other of two models; mostly empty
    Bytes weights = 0;        ///< of all tensors, as they are stored
    Bytes largest = 0;        ///< of the largest tensor
    std::string problem;      ///< why it could not be read; empty: it could
};

/// Asks the module about a file or a folder with a model_index.json; nullptr: it cannot be asked.
/// What is wrong becomes the file's problem, also a path that is not UTF-8: `path` and `name` are
/// then text to show, and no graph can name the file. Any thread.
[[nodiscard]] ModelFile recogniseFile(Recogniser* recogniser, const std::string& path);

/// What a budget means for the weights of a file, before a graph says more. A quarter of the budget
/// is left for what the pictures need. Fits: all weights lie in the rest at once. Streams: they do
/// not, but four of the largest tensor do, so that one can be copied while another computes.
enum class ModelVerdict { Unknown, Fits, Streams, TooBig };
/// `budget` 0: not known.
[[nodiscard]] ModelVerdict verdictOf(const ModelFile& model, Bytes budget);

}  // namespace lowtide::ui
