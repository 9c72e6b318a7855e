#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/document/free_space.hpp"

#include <string>

namespace lowtide::ui {

/// A part of an image that is to follow a prompt of its own: a rectangle, or what a mask covers.
struct PromptRegion {
    std::string prompt;
    std::string name{};  ///< of the part, for its nodes; empty: none
    std::string mask{};  ///< file of a grey image; empty: the rectangle
    int xPixels = 0;
    int yPixels = 0;
    int widthPixels = 0;
    int heightPixels = 0;
    int imageWidthPixels = 0;  ///< of the image in which it was drawn
    int imageHeightPixels = 0;
};

/// What became of a graph that was to get a region.
struct RegionWired {
    enum class Refusal {
        None,
        NoNodes,   ///< that limit and combine prompts, or make masks
        NoPrompt,  ///< that a node encodes and a sampler follows
    };

    Refusal refusal = Refusal::None;  ///< not None: the graph is as it was
    std::string encoder;              ///< the node with the prompt of the region
};

/// Gives a part of the image a prompt of its own: an encoder like the one that the sampler follows,
/// an area or a mask behind it, and what combines both. Of several samplers the one in `preferred`,
/// else the first that makes the image. The rectangle is that of the latent image where its size is
/// known, in multiples of 8. `sizes`: of nodes, so that new ones lie on none.
[[nodiscard]] RegionWired wireRegion(graph::Document& document,
                                     const graph::Catalog& catalog,
                                     const PromptRegion& region,
                                     const NodeIds& preferred = {},
                                     const CanvasSizes& sizes = {});

}  // namespace lowtide::ui
