#pragma once

#include "plugin/interop/prompt.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::interop {

struct PixelSize {
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;
};

/// The size of an image file that a workflow names; nothing: it is not known.
using ImageProbe = std::function<std::optional<PixelSize>(const std::string& name)>;

/// A node that was evaluated and is gone.
struct FoldedNode {
    std::string id;
    std::string type;
};

/// Evaluates switches, primitives, maths and texts, in place: what they feed is given the value,
/// or the wire of the branch that is taken. Nodes that then feed nothing any more, and did before,
/// are left out, as ComfyUI asks for the taken branch alone. What depends on a run remains.
/// Error{Corrupt} names nodes that feed each other in a circle.
std::vector<FoldedNode> foldPrompt(Prompt& prompt,
                                   const ClassTable& table,
                                   const ImageProbe& imageSize);

/// Which negative prompts ComfyUI does not run: those at guidance 1, but for CFG++.
class NegativeUse {
public:
    explicit NegativeUse(const Prompt& prompt);

    [[nodiscard]] bool isLeftOut(const PromptNode& node) const;

private:
    bool hasPlusPlus_;  ///< some sampler of the prompt
};

/// The nodes, each behind those that feed it. Error{Corrupt} as foldPrompt.
[[nodiscard]] std::vector<std::string> inOrder(const Prompt& prompt);

}  // namespace lowtide::interop
