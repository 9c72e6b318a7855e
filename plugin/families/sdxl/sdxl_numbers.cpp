#include "plugin/families/sdxl/sdxl_numbers.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::models {

namespace {

constexpr double kPositiveScore = 6;    ///< aesthetic_score of StableDiffusionXLImg2ImgPipeline
constexpr double kNegativeScore = 2.5;  ///< negative_aesthetic_score

ConditioningNumber height(const char* name) {
    return {.name = name, .zero = ZeroMeans::PictureHeight};
}

ConditioningNumber width(const char* name) {
    return {.name = name, .zero = ZeroMeans::PictureWidth};
}

std::vector<ConditioningNumber> numbersOfBase() {
    return {height("original_height"),
            width("original_width"),
            {.name = "crop_top"},
            {.name = "crop_left"},
            height("target_height"),
            width("target_width")};
}

std::vector<ConditioningNumber> numbersOfRefiner() {
    return {height("original_height"),
            width("original_width"),
            {.name = "crop_top"},
            {.name = "crop_left"},
            {.name = "aesthetic_score", .byDefault = kPositiveScore, .ofNegative = kNegativeScore}};
}

}  // namespace

std::vector<ConditioningNumber> sdxlNumbersOf(const UNet2DConfig& config,
                                              int64_t pooledWidth,
                                              const Checkpoint& checkpoint) {
    for (std::vector<ConditioningNumber> known : {numbersOfBase(), numbersOfRefiner()}) {
        const auto count = static_cast<int64_t>(known.size());
        if (config.addedWidth == pooledWidth + count * config.addedNumberWidth) {
            return known;
        }
    }
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + ": the denoiser adds " +
                    std::to_string(config.addedWidth) +
                    " values to its time (projection_class_embeddings_input_dim); a pooled text "
                    "of " +
                    std::to_string(pooledWidth) + " beside 6 numbers, or a refiner's 5, of " +
                    std::to_string(config.addedNumberWidth) + " each does not make that",
                "use the text encoder and the denoiser of one checkpoint",
                checkpoint.itemOf("unet"));
}

}  // namespace lowtide::models
