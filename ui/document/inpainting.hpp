#pragma once

#include "ui/document/arrange.hpp"

#include <string>

namespace lowtide::ui {

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
