#pragma once
// Puts an adapter's layers to the weights of a checkpoint, parts of fused layers too. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/adapters/adapter_file.hpp"
#include "plugin/memory/component_parts.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// Rows of a fused layer's delta that one of its parts gets.
struct AdapterRows {
    int64_t first = 0;
    int64_t count = 0;
};

/// A layer with the weight that it changes.
struct BoundLayer {
    memory::WeightId weight = 0;
    /// Of the file; its factors are those of `rows` alone where it was fused.
    AdapterLayer layer;
    std::optional<AdapterRows> rows;  ///< of a fused query, key and value (in_proj, to_qkv)
};

struct AdapterBinding {
    std::vector<BoundLayer> layers;
    std::vector<std::string> unmatched;  ///< names of layers that the network does not have
};

/// The layers of `component` ("text_encoder" for a model's only one) in a tree. Names match whole.
/// `checkpoint`: for messages. Error{InvalidInput} names file, keys, expected and seen shapes, and
/// an adapter of another family; Error{Corrupt} names two layers that change one weight.
[[nodiscard]] AdapterBinding bindAdapter(const AdapterFile& file,
                                         std::string_view component,
                                         const memory::ComponentTree& tree,
                                         const std::string& checkpoint);

/// A component of a checkpoint.
struct AdapterTarget {
    std::string_view component;
    const memory::ComponentTree* tree = nullptr;
};

struct BoundAdapter {
    std::vector<AdapterBinding> bindings;  ///< one for each target
    std::vector<std::string> unmatched;    ///< of all layers, those without a component too
    Message warning;  ///< states what matches nothing; empty: everything matches
    Message hint;     ///< what to do about it
};

/// Binds the whole file. Error{InvalidInput} where nothing matches: it states what the file seems
/// to be for and what the checkpoint is; and those of bindAdapter().
[[nodiscard]] BoundAdapter bindWholeAdapter(const AdapterFile& file,
                                            std::span<const AdapterTarget> targets,
                                            const std::string& checkpoint);

}  // namespace lowtide::models
