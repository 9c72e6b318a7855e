#pragma once

#include "plugin/models/checkpoint.hpp"
#include "plugin/models/model.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// A place for a text encoder that comes as a file of its own.
struct TextSlot {
    std::string component;             ///< "text_encoder_2"
    std::string tokenizer;             ///< "tokenizer_2"
    std::vector<std::string> classes;  ///< of networks that it takes; of several slots for the same
                                       ///< the widest network has the last
};

/// A family of checkpoints. Each has a folder with `const Family& <folder>();` and one lowtide_add
/// line.
struct Family {
    std::string name;
    /// All that models of it may have; ComponentSource::components() says which a model has.
    std::vector<ComponentDesc> components;
    /// Whether the folder is one of this family, by what its index says.
    bool (*detect)(const Checkpoint& checkpoint) = nullptr;
    /// Reads configs and headers, no weight. Errors name the file and the setting or tensor.
    std::shared_ptr<const Model> (*open)(Checkpoint& checkpoint) = nullptr;
    /// What people call this one, from its settings: "SD 1.x inpainting"; nullptr: the name.
    std::string (*label)(Checkpoint& checkpoint) = nullptr;
    /// Of a model that is put together of files; empty: it is not.
    std::vector<TextSlot> texts{};
};

using Families = std::span<const Family* const>;

/// Every family that is built.
[[nodiscard]] Families families();
/// The family that detects it; nullptr where none does.
[[nodiscard]] const Family* familyOf(const Checkpoint& checkpoint, Families known = families());
/// Opens a checkpoint with the family that detects it. Error{Unsupported} names the pipeline class
/// that was seen and the families that are known.
[[nodiscard]] std::shared_ptr<const Model> openCheckpoint(Checkpoint& checkpoint,
                                                          Families known = families());

}  // namespace lowtide::models
