#include "ui/document/prompt_regions.hpp"

#include "ui/document/edits.hpp"
#include "ui/document/free_space.hpp"
#include "ui/document/inpainting.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace lowtide::ui {

namespace {

using graph::PortRef;

/// By their types: ports do not state how two prompts are joined.
constexpr const char* kAreaNode = "conditioning.area";
constexpr const char* kMaskNode = "conditioning.mask";
constexpr const char* kCombineNode = "conditioning.combine";
constexpr const char* kPromptParam = "prompt";
constexpr int kAreaStep = 8;
constexpr double kNextTo = 300;  ///< from a node to the one that is added behind it
constexpr double kLower = 260;

/// One graph while it gets a region.
class RegionWiring {
public:
    RegionWiring(graph::Document& document, const graph::Catalog& catalog, CanvasSizes sizes)
        : document_(document), catalog_(catalog), sizes_(withImages(std::move(sizes))) {}

    /// Empty: there is none.
    [[nodiscard]] std::string samplerIn(const NodeIds& preferred) const {
        return bestNode(document_, [&](const std::string& id) {
            if (!isSampler(id)) {
                return -1;
            }
            return (preferred.contains(id) ? 2 : 0) + (followsASampler(id) ? 0 : 1);
        });
    }

    /// The wire out of the node that encodes what the sampler follows; nullopt: there is none.
    [[nodiscard]] std::optional<PortRef> promptOf(const std::string& sampler) const {
        PortRef to = input(sampler, kConditioningType);
        for (size_t step = 0; step <= document_.nodes.size(); ++step) {
            const graph::Link* link = linkInto(document_, to);
            if (!link) {
                return std::nullopt;
            }
            const NodeDesc* desc = descOf(link->from.node);
            if (desc && graph::findParam(*desc, kPromptParam)) {
                return link->from;
            }
            to = input(link->from.node, kConditioningType);
        }
        return std::nullopt;
    }

    std::string wire(const std::string& sampler,
                     const PortRef& prompt,
                     const PromptRegion& region) {
        const PortRef into = input(sampler, kConditioningType);
        const PortRef followed = linkInto(document_, into)->from;
        const std::string encoder = addEncoder(prompt.node, region.prompt);
        const bool isMasked = !region.mask.empty();
        const std::string part = add(isMasked ? kMaskNode : kAreaNode, encoder, kNextTo, 0);
        isMasked ? setMask(part, encoder, region.mask) : setArea(part, sampler, region);
        const std::string combine = add(kCombineNode, part, kNextTo, 0);
        connect(document_, PortRef{encoder, prompt.port}, input(part, kConditioningType));
        connect(document_, followed, input(combine, kConditioningType));
        connect(document_, output(part, kConditioningType), input(combine, kConditioningType, 1));
        connect(document_, output(combine, kConditioningType), into);
        if (!region.name.empty()) {
            document_.nodes.at(encoder).title = region.name;
        }
        return encoder;
    }

private:
    [[nodiscard]] const NodeDesc* descOf(const std::string& node) const {
        return ui::descOf(document_, catalog_, node);
    }

    [[nodiscard]] bool isSampler(const std::string& node) const {
        const NodeDesc* desc = descOf(node);
        return desc && portOfType(desc->inputs, kConditioningType) &&
               portOfType(desc->inputs, kLatentType) && portOfType(desc->outputs, kLatentType);
    }

    [[nodiscard]] bool followsASampler(const std::string& sampler) const {
        const graph::Link* link = linkInto(document_, input(sampler, kLatentType));
        return link && isSampler(link->from.node);
    }

    [[nodiscard]] PortRef input(const std::string& node, const char* type, int which = 0) const {
        return inputOfType(document_, catalog_, node, type, which);
    }

    [[nodiscard]] PortRef output(const std::string& node, const char* type) const {
        return outputOfType(document_, catalog_, node, type);
    }

    /// At a distance from another node, or where space is near that.
    std::string add(const char* type, const std::string& other, double x, double y) {
        const Point from = positionOf(document_.nodes.at(other));
        return addNodeNear(document_, *catalog_.find(type), {from.x + x, from.y + y}, sizes_);
    }

    /// One like it, fed by the same nodes.
    std::string addEncoder(const std::string& like, const std::string& prompt) {
        const graph::DocumentNode node = document_.nodes.at(like);
        const std::string encoder = add(node.type.c_str(), like, 0, kLower);
        graph::DocumentNode& added = document_.nodes.at(encoder);
        added.params = node.params;
        added.params[kPromptParam] = prompt;
        added.memory = node.memory;
        added.precision = node.precision;
        const std::vector<graph::Link> links = document_.links;
        for (const graph::Link& link : links) {
            if (link.to.node == like) {
                connect(document_, link.from, PortRef{encoder, link.to.port});
            }
        }
        return encoder;
    }

    /// Of the image that is made, as a node before the sampler states it.
    [[nodiscard]] std::optional<std::pair<double, double>> madeSize(
        const std::string& sampler) const {
        const graph::Link* link = linkInto(document_, input(sampler, kLatentType));
        const auto maker = link ? document_.nodes.find(link->from.node) : document_.nodes.end();
        if (maker == document_.nodes.end()) {
            return std::nullopt;
        }
        const Json& params = maker->second.params;
        const auto sideOf = [&](const char* side) {
            const auto found = params.find(side);
            return found != params.end() && found->is_number() ? found->get<double>() : 0.0;
        };
        const std::pair size(sideOf("width"), sideOf("height"));
        return size.first > 0 && size.second > 0 ? std::optional(size) : std::nullopt;
    }

    void setMask(const std::string& part, const std::string& encoder, const std::string& file) {
        const Point from = positionOf(document_.nodes.at(encoder));
        const PortRef mask =
            addMaskOf(document_, catalog_, file, {from.x, from.y + kLower}, sizes_);
        connect(document_, mask, input(part, kMaskType));
    }

    void setArea(const std::string& area, const std::string& sampler, const PromptRegion& region) {
        const auto made = madeSize(sampler);
        const double scaleX = made ? made->first / std::max(1, region.imageWidthPixels) : 1;
        const double scaleY = made ? made->second / std::max(1, region.imageHeightPixels) : 1;
        const auto rounded = [](double pixels, int least) {
            return std::max<int64_t>(least, kAreaStep * std::llround(pixels / kAreaStep));
        };
        Json& params = document_.nodes.at(area).params;
        params["x"] = rounded(region.xPixels * scaleX, 0);
        params["y"] = rounded(region.yPixels * scaleY, 0);
        params["width"] = rounded(region.widthPixels * scaleX, kAreaStep);
        params["height"] = rounded(region.heightPixels * scaleY, kAreaStep);
    }

    graph::Document& document_;
    const graph::Catalog& catalog_;
    CanvasSizes sizes_;
};

}  // namespace

RegionWired wireRegion(graph::Document& document,
                       const graph::Catalog& catalog,
                       const PromptRegion& region,
                       const NodeIds& preferred,
                       const CanvasSizes& sizes) {
    const bool areNodesThere = region.mask.empty()
                                   ? catalog.find(kAreaNode) != nullptr
                                   : catalog.find(kMaskNode) != nullptr &&
                                         nodeFor(catalog, InpaintPart::Source) != nullptr &&
                                         nodeFor(catalog, InpaintPart::MaskMaker) != nullptr;
    if (!areNodesThere || !catalog.find(kCombineNode)) {
        return {.refusal = RegionWired::Refusal::NoNodes, .encoder = {}};
    }
    RegionWiring wiring(document, catalog, sizes);
    const std::string sampler = wiring.samplerIn(preferred);
    const std::optional<PortRef> prompt = sampler.empty() ? std::nullopt : wiring.promptOf(sampler);
    if (!prompt) {
        return {.refusal = RegionWired::Refusal::NoPrompt, .encoder = {}};
    }
    return {.refusal = RegionWired::Refusal::None,
            .encoder = wiring.wire(sampler, *prompt, region)};
}

}  // namespace lowtide::ui
