#pragma once

#include "plugin/base/units.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/models/model_kind.hpp"

#include <functional>
#include <string>

namespace lowtide::ui {

class Engine;

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

/// Asks the module about a path (the call "recognise") and gives its status and answer; empty: it
/// cannot be asked. Any thread.
using Recognise = std::function<Status(const std::string& path, std::string& result)>;
/// Asks the module behind `engine`; the module must outlive it, not the engine.
[[nodiscard]] Recognise recogniserOf(const Engine& engine);

/// What a file is, or a folder with a model_index.json. What is wrong becomes the file's problem,
/// also a path that is not UTF-8: `path` and `name` are then text to show, and no graph can name
/// the file. Any thread.
[[nodiscard]] ModelFile recogniseFile(const Recognise& recognise, const std::string& path);

/// What a budget means for the weights of a file, before a graph says more. A quarter of the budget
/// is left for what the pictures need. Fits: all weights lie in the rest at once. Streams: they do
/// not, but four of the largest tensor do, so that one can be copied while another computes.
enum class ModelVerdict { Unknown, Fits, Streams, TooBig };
/// `budget` 0: not known.
[[nodiscard]] ModelVerdict verdictOf(const ModelFile& model, Bytes budget);

}  // namespace lowtide::ui
