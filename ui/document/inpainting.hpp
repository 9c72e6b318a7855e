#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/document/arrange.hpp"

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

/// A picture and its mask, as a graph names their files. The mask is grey: white is made anew.
struct InpaintFiles {
    std::string picture;
    std::string mask;
    int widthPixels = 0;
    int heightPixels = 0;
};

/// What became of a graph that was to fill a mask.
struct InpaintWired {
    enum class Refusal { None, NoNodes, NoSampler };

    Refusal refusal = Refusal::None;  ///< not None: the graph is as it was
    std::string sampler;              ///< the node that makes the masked part anew
};

/// Makes a graph fill the mask of the picture. What is there is kept and gets the files; what is
/// missing is added: nodes that read both, the encoder, and at the end the composite that keeps
/// every pixel outside of the mask as the picture has it. Of several samplers the one in
/// `preferred`, else one that has a mask. `sizes`: of nodes, so that new ones lie on none.
[[nodiscard]] InpaintWired wireInpainting(graph::Document& document,
                                          const graph::Catalog& catalog,
                                          const InpaintFiles& files,
                                          const NodeIds& preferred = {},
                                          const NodeSizes& sizes = {});

}  // namespace lowtide::ui
