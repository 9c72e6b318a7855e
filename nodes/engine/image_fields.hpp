#pragma once
// The A1111 `parameters` text of an image: fields that stages give its provenance.

#include <functional>
#include <string>

namespace lowtide::tensor {
struct Provenance;
}

namespace lowtide::nodes {

inline constexpr const char* kStepsField = "Steps";  ///< the first one of every denoiser
// Values of these hold ids of models::ModelHashes until the text is made, since hashing a big file
// takes time.
inline constexpr const char* kModelHashField = "Model hash";
inline constexpr const char* kRefinerHashField = "Refiner hash";
inline constexpr const char* kSecondHashField = "Second expert hash";
inline constexpr const char* kLoraHashesField = "Lora hashes";   ///< "ink: id, paper: id"
inline constexpr const char* kControlField = "ControlNet ";      ///< with a number: "... [id], ..."
inline constexpr const char* kImagePromptField = "IP-Adapter ";  ///< the same

/// Else the fields are what happened to an image before there was a denoiser.
[[nodiscard]] bool isOfDenoiser(const tensor::Provenance& provenance);

/// The text: prompt, "Negative prompt: ..." where there is one, fields, version. `hashOf` gives the
/// hash for an id, empty: it is left out. Empty when no denoiser made the image.
[[nodiscard]] std::string parametersTextOf(
    const tensor::Provenance& provenance,
    const std::function<std::string(const std::string&)>& hashOf);

}  // namespace lowtide::nodes
