#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/document/free_space.hpp"

#include <string>

namespace lowtide::ui {

/// What a node does in a graph that fills a mask, known from its ports and parameters alone.
enum class InpaintPart {
    None,
    Source,     ///< reads an image from a file
    MaskMaker,  ///< makes a mask of an image
    Encode,     ///< makes a latent image of an image
    Sampler,    ///< regenerates the masked part of a latent image
    Decode,     ///< makes an image of a latent image
    Fit,        ///< brings an image and its mask to another size
    Composite,  ///< lays an image on another one, where a mask allows it
};

inline constexpr const char* kImageType = "IMAGE";
inline constexpr const char* kMaskType = "MASK";
inline constexpr const char* kLatentType = "LATENT";

[[nodiscard]] InpaintPart inpaintPartOf(const NodeDesc& desc);
/// The first node type that does it; nullptr: there is none.
[[nodiscard]] const NodeDesc* nodeFor(const graph::Catalog& catalog, InpaintPart part);
/// The parameter that names the file of a Source; nullptr: it is none.
[[nodiscard]] const ParamDesc* imageFileParam(const NodeDesc& desc);
/// The same of a node that reads a video, which calls it "video".
[[nodiscard]] const ParamDesc* videoFileParam(const NodeDesc& desc);

/// With the space of the image that a node shows which reads one from a file.
[[nodiscard]] CanvasSizes withImages(CanvasSizes sizes);

/// Adds the nodes that make a mask of the levels of a grey image; gives their output. The catalog
/// must have both.
graph::PortRef addMaskOf(graph::Document& document,
                         const graph::Catalog& catalog,
                         const std::string& file,
                         Point at,
                         CanvasSizes& sizes);

/// An image and its mask, as a graph names their files. The mask is grey: white is regenerated.
struct InpaintFiles {
    std::string image;
    std::string mask;
    int widthPixels = 0;
    int heightPixels = 0;
};

/// What became of a graph that was to fill a mask.
struct InpaintWired {
    enum class Refusal { None, NoNodes, NoSampler };

    Refusal refusal = Refusal::None;  ///< not None: the graph is as it was
    std::string sampler;              ///< the node that regenerates the masked part
};

/// Makes a graph fill the mask of the image. What is there is kept and gets the files; what is
/// missing is added: nodes that read both, the encoder, and at the end the composite that keeps
/// every pixel outside of the mask as the image has it. Of several samplers the one in
/// `preferred`, else one that has a mask. `sizes`: of nodes, so that new ones lie on none.
[[nodiscard]] InpaintWired wireInpainting(graph::Document& document,
                                          const graph::Catalog& catalog,
                                          const InpaintFiles& files,
                                          const NodeIds& preferred = {},
                                          const CanvasSizes& sizes = {});

}  // namespace lowtide::ui
