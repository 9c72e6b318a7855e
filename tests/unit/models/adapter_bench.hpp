#pragma once

#include "plugin/base/units.hpp"
#include "plugin/checkpoints/adapters/adapter_file.hpp"
#include "plugin/memory/component_tree.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::testing {

/// Tensors of a file that does not exist, in f32, by name.
using AdapterShapes = std::vector<std::pair<std::string, Shape>>;

/// "f.safetensors" with these tensors and metadata, as a header has them.
[[nodiscard]] models::WeightFileHeader headerOf(
    const AdapterShapes& shapes, const std::map<std::string, std::string>& metadata = {});

/// A safetensors file of zeros and, by name, of single numbers in a type.
struct AdapterNumber {
    DType type = DType::F32;
    double value = 0;
    Shape shape{};
};

void writeAdapter(const std::string& path,
                  const AdapterShapes& shapes,
                  const std::map<std::string, AdapterNumber>& numbers = {});

/// A LoRA of rank 4 whose factors are constants, in peft's names, for one matrix of a denoiser; the
/// name is that of its weight in the tree.
void writeLora(const std::string& path, const std::string& weight, const Shape& shape);

/// A network of these weights, each a leaf of its own.
[[nodiscard]] memory::ComponentTree treeOf(const std::string& role,
                                           const std::string& network,
                                           const AdapterShapes& weights);

/// Pieces of the UNet of SD 1.x at its true widths: a resnet, proj_in, both attentions, a
/// downsampler and conv_in.
[[nodiscard]] memory::ComponentTree piecesOfUNet(int64_t contextWidth = 768);
/// A layer of CLIP's text encoder, its names with "text_model." or without.
[[nodiscard]] memory::ComponentTree pieceOfText(const std::string& wrapper, int64_t width = 768);

/// "unet.mid_block...." -> a LoRA of that layer in peft's names.
[[nodiscard]] AdapterShapes loraOf(const std::string& layer, int64_t out, int64_t in, int64_t rank);

}  // namespace lowtide::testing
