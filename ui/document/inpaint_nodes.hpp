#pragma once

#include "plugin/graph/catalog.hpp"

#include <string>

namespace lowtide::ui {

/// What a node does in a graph that fills a mask, told by its ports and parameters alone.
enum class InpaintPart {
    None,
    Source,     ///< reads a picture from a file
    MaskMaker,  ///< makes a mask of a picture
    Encode,     ///< makes a latent picture of a picture
    Sampler,    ///< makes the masked part of a latent picture anew
    Decode,     ///< makes a picture of a latent picture
    Fit,        ///< brings a picture and its mask to another size
    Composite,  ///< lays a picture on another one, where a mask says so
};

inline constexpr const char* kPictureType = "IMAGE";
inline constexpr const char* kMaskType = "MASK";
inline constexpr const char* kLatentType = "LATENT";

[[nodiscard]] InpaintPart inpaintPartOf(const NodeDesc& desc);
/// The first node type that does it; nullptr: there is none.
[[nodiscard]] const NodeDesc* nodeFor(const graph::Catalog& catalog, InpaintPart part);
/// The parameter that names the file of a Source; nullptr: it is none.
[[nodiscard]] const ParamDesc* pictureFileParam(const NodeDesc& desc);
/// The same of a node that reads a video, which calls it "video".
[[nodiscard]] const ParamDesc* videoFileParam(const NodeDesc& desc);

}  // namespace lowtide::ui
