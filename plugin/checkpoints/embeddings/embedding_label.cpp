#include "plugin/checkpoints/embeddings/embedding_label.hpp"

#include "plugin/checkpoints/embeddings/embedding_file.hpp"

namespace lowtide::models {

namespace {

constexpr int64_t kSd1Width = 768;
constexpr int64_t kSd2Width = 1024;

std::string audienceOf(const EmbeddingTensors& sets, int64_t width) {
    return sets.size() > 1      ? "SDXL"
           : width == kSd1Width ? "SD 1.x"
           : width == kSd2Width ? "SD 2.x"
                                : "text encoders " + std::to_string(width) + " wide";
}

}  // namespace

std::string whatEmbeddingIs(const WeightFileHeader& header) {
    const EmbeddingTensors sets = embeddingTensors(header);
    const Shape& shape = header.map.tensors.at(sets.begin()->second).shape;
    const int64_t count = shape.size() > 1 ? shape.front() : 1;
    return "embedding for " + audienceOf(sets, shape.back()) + ", " + std::to_string(count) +
           (count == 1 ? " vector" : " vectors");
}

}  // namespace lowtide::models
