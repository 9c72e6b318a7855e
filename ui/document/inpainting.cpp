#include "ui/document/inpainting.hpp"

#include "ui/document/edits.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

std::ptrdiff_t countOf(const std::vector<PortDesc>& ports, const char* type) {
    return std::ranges::count(ports, type, &PortDesc::type);
}

bool hasPort(const std::vector<PortDesc>& ports, const char* type) {
    return countOf(ports, type) > 0;
}

bool givesOnly(const NodeDesc& desc, const char* type) {
    return desc.outputs.size() == 1 && desc.outputs.front().type == type;
}

InpaintPart partOfImageTaker(const NodeDesc& desc) {
    const auto images = countOf(desc.inputs, kImageType);
    if (images == 2 && hasPort(desc.inputs, kMaskType) && givesOnly(desc, kImageType)) {
        return InpaintPart::Composite;
    }
    if (images != 1) {
        return InpaintPart::None;
    }
    if (desc.inputs.size() == 1 && givesOnly(desc, kMaskType)) {
        return InpaintPart::MaskMaker;
    }
    if (hasPort(desc.inputs, kModelType) && givesOnly(desc, kLatentType)) {
        return InpaintPart::Encode;
    }
    const bool givesBoth = hasPort(desc.outputs, kImageType) && hasPort(desc.outputs, kMaskType);
    return givesBoth && hasPort(desc.inputs, kMaskType) ? InpaintPart::Fit : InpaintPart::None;
}

const ParamDesc* sourceParam(const NodeDesc& desc, bool ofVideo) {
    if (!desc.inputs.empty() || desc.outputs.empty() || desc.outputs.front().type != kImageType) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(desc.params, [ofVideo](const ParamDesc& param) {
        return param.kind == ParamKind::File && (param.id == "video") == ofVideo;
    });
    return found == desc.params.end() ? nullptr : &*found;
}

/// Sides of this are taken by every model; others go through a node that fits them.
constexpr int kSureSide = 64;
constexpr double kAcross = 300;  ///< from a node to one that is added next to it
constexpr double kBelow = 220;
constexpr double kImageHeight = 120;  ///< that a node which reads an image shows of it

using graph::PortRef;

/// Where the node has that parameter.
void setKnownParam(graph::Document& document,
                   const graph::Catalog& catalog,
                   const std::string& node,
                   const char* param,
                   const Json& value) {
    const NodeDesc* desc = descOf(document, catalog, node);
    if (desc && graph::findParam(*desc, param)) {
        document.nodes.at(node).params[param] = value;
    }
}

/// What was painted is what is masked: no level is made another one.
void keepLevels(graph::Document& document,
                const graph::Catalog& catalog,
                const std::string& maskMaker) {
    setKnownParam(document, catalog, maskMaker, "threshold", 0.0);
    setKnownParam(document, catalog, maskMaker, "invert", false);
}

/// One graph while it is wired.
class Inpainting {
public:
    Inpainting(graph::Document& document,
               const graph::Catalog& catalog,
               const InpaintFiles& files,
               CanvasSizes sizes)
        : document_(document),
          catalog_(catalog),
          files_(files),
          sizes_(withImages(std::move(sizes))) {}

    [[nodiscard]] bool areNodesThere() const {
        using enum InpaintPart;
        return std::ranges::all_of(
            std::initializer_list<InpaintPart>{
                Source, MaskMaker, Encode, Sampler, Decode, Fit, Composite},
            [this](auto part) { return nodeFor(catalog_, part); });
    }

    /// Empty: there is none.
    [[nodiscard]] std::string samplerIn(const NodeIds& preferred) const {
        return bestNode(document_, [&](const std::string& id) {
            if (partOf(id) != InpaintPart::Sampler || followsASampler(id)) {
                return -1;
            }
            return (preferred.contains(id) ? 2 : 0) + (linkTo(id, kMaskType) ? 1 : 0);
        });
    }

    void wire(const std::string& sampler) {
        const std::string encoder = encoderOf(sampler);
        feedImage(encoder, sampler);
        feedMask(sampler);
        const PortRef image = linkTo(encoder, kImageType)->from;
        if (partOf(image.node) == InpaintPart::Fit) {
            sendMaskThrough(image.node, sampler);
        }
        const PortRef mask = linkTo(sampler, kMaskType)->from;
        for (const std::string& decoder : decodersBehind(sampler)) {
            pasteBehind(decoder, image, mask);
        }
    }

private:
    [[nodiscard]] const NodeDesc* descOf(const std::string& node) const {
        return ui::descOf(document_, catalog_, node);
    }

    [[nodiscard]] InpaintPart partOf(const std::string& node) const {
        const NodeDesc* desc = descOf(node);
        return desc ? inpaintPartOf(*desc) : InpaintPart::None;
    }

    [[nodiscard]] PortRef input(const std::string& node, const char* type, int which = 0) const {
        return inputOfType(document_, catalog_, node, type, which);
    }

    [[nodiscard]] PortRef output(const std::string& node, const char* type) const {
        return outputOfType(document_, catalog_, node, type);
    }

    /// What feeds the first input of that type; nullptr: nothing.
    [[nodiscard]] const graph::Link* linkTo(const std::string& node, const char* type) const {
        return linkInto(document_, input(node, type));
    }

    /// The input, of the sampler or of a node before it, in which the wire ends that comes from
    /// what makes the latent.
    [[nodiscard]] PortRef latentEnd(const std::string& sampler) const {
        PortRef end = input(sampler, kLatentType);
        for (size_t step = 0; step < document_.nodes.size(); ++step) {
            const graph::Link* link = linkInto(document_, end);
            const InpaintPart part = link ? partOf(link->from.node) : InpaintPart::None;
            const PortRef next = link ? input(link->from.node, kLatentType) : PortRef{};
            if (part == InpaintPart::Encode || part == InpaintPart::Sampler || next.node.empty()) {
                break;
            }
            end = next;
        }
        return end;
    }

    [[nodiscard]] bool followsASampler(const std::string& sampler) const {
        const graph::Link* link = linkInto(document_, latentEnd(sampler));
        return link && partOf(link->from.node) == InpaintPart::Sampler;
    }

    /// The node with the image that is encoded, or with the mask, above an input; empty: none.
    /// A mask is followed along masks, then along the image that it is made of. A mask that a file
    /// has in its transparency has no image of its own.
    [[nodiscard]] std::string sourceAbove(PortRef to) const {
        for (size_t step = 0; step <= document_.nodes.size(); ++step) {
            const graph::Link* link = linkInto(document_, to);
            if (!link) {
                return {};
            }
            const std::string& node = link->from.node;
            const bool isMask = link->from == output(node, kMaskType);
            if (partOf(node) == InpaintPart::Source) {
                return isMask ? std::string() : node;
            }
            const bool isStillMask = isMask && partOf(node) != InpaintPart::MaskMaker;
            to = input(node, isStillMask ? kMaskType : kImageType);
        }
        return {};
    }

    [[nodiscard]] std::set<std::string> decodersBehind(const std::string& sampler) const {
        std::set<std::string> seen{sampler};
        std::set<std::string> decoders;
        for (bool isGrowing = true; isGrowing;) {
            isGrowing = false;
            for (const graph::Link& link : document_.links) {
                const bool isLatent = link.from == output(link.from.node, kLatentType);
                if (isLatent && seen.contains(link.from.node) && seen.insert(link.to.node).second) {
                    isGrowing = true;
                    if (partOf(link.to.node) == InpaintPart::Decode) {
                        decoders.insert(link.to.node);
                    }
                }
            }
        }
        return decoders;
    }

    /// At a distance from another node, or where space is near that.
    std::string add(InpaintPart part, const std::string& near, double x, double y) {
        const Point from = positionOf(document_.nodes.at(near));
        return addNodeNear(document_, *nodeFor(catalog_, part), {from.x + x, from.y + y}, sizes_);
    }

    void setFile(const std::string& source, const std::string& file) {
        document_.nodes.at(source).params[imageFileParam(*descOf(source))->id] = file;
    }

    /// The one that there is, or a new one in the place of what made the latent, which goes where
    /// nothing else takes from it.
    std::string encoderOf(const std::string& sampler) {
        const PortRef end = latentEnd(sampler);
        const graph::Link* link = linkInto(document_, end);
        if (link && partOf(link->from.node) == InpaintPart::Encode) {
            return link->from.node;
        }
        const std::string before = link ? link->from.node : std::string();
        const std::string encoder = add(InpaintPart::Encode, end.node, -kAcross, kBelow);
        const std::set<std::string> decoders = decodersBehind(sampler);
        const graph::Link* model =
            linkTo(decoders.empty() ? sampler : *decoders.begin(), kModelType);
        if (model) {
            connect(document_, PortRef(model->from), input(encoder, kModelType));
        }
        connect(document_, output(encoder, kLatentType), end);
        const bool isUsed = std::ranges::any_of(
            document_.links, [&](const graph::Link& each) { return each.from.node == before; });
        if (!before.empty() && !isUsed) {
            removeNodes(document_, catalog_, {before});
        }
        return encoder;
    }

    void feedImage(const std::string& encoder, const std::string& sampler) {
        const PortRef into = input(encoder, kImageType);
        std::string source = sourceAbove(into);
        if (source.empty()) {
            source = add(InpaintPart::Source, encoder, -kAcross, 0);
            connect(document_, output(source, kImageType), into);
        }
        setFile(source, files_.image);
        const bool isSure =
            files_.widthPixels % kSureSide == 0 && files_.heightPixels % kSureSide == 0;
        const graph::Link* link = linkInto(document_, into);
        if (isSure || !link || link->from.node != source) {
            return;  // it fits, or goes through nodes of the user's own
        }
        const std::string fit = add(InpaintPart::Fit, encoder, -kAcross / 2, kBelow);
        connect(document_, output(source, kImageType), input(fit, kImageType));
        connect(document_, output(fit, kImageType), into);
        if (const graph::Link* model = linkTo(sampler, kModelType)) {
            connect(document_, PortRef(model->from), input(fit, kModelType));
        }
    }

    void feedMask(const std::string& sampler) {
        const PortRef into = input(sampler, kMaskType);
        if (const std::string source = sourceAbove(into); !source.empty()) {
            setFile(source, files_.mask);
            followMask(into);
            return;
        }
        const Point from = positionOf(document_.nodes.at(sampler));
        const Point at{from.x - kAcross, from.y + 2 * kBelow};
        connect(document_, addMaskOf(document_, catalog_, files_.mask, at, sizes_), into);
    }

    /// The mask gets the size of the image that is encoded.
    void sendMaskThrough(const std::string& fit, const std::string& sampler) {
        const PortRef fitted = output(fit, kMaskType);
        const graph::Link* link = linkTo(sampler, kMaskType);
        if (!link || link->from == fitted || linkTo(fit, kMaskType)) {
            return;
        }
        const PortRef mask = link->from;
        connect(document_, mask, input(fit, kMaskType));
        moveWires(mask, fitted, fit);
    }

    void pasteBehind(const std::string& decoder, const PortRef& image, const PortRef& mask) {
        const PortRef made = output(decoder, kImageType);
        const bool isPasted = std::ranges::any_of(document_.links, [&](const graph::Link& link) {
            return link.from == made && partOf(link.to.node) == InpaintPart::Composite &&
                   link.to == input(link.to.node, kImageType, 1);
        });
        if (isPasted) {
            return;
        }
        const std::string paste = add(InpaintPart::Composite, decoder, 0, kBelow);
        moveWires(made, output(paste, kImageType), paste);
        connect(document_, image, input(paste, kImageType));
        connect(document_, made, input(paste, kImageType, 1));
        connect(document_, mask, input(paste, kMaskType));
        setKnownParam(document_, catalog_, paste, "resize_source", true);
    }

    /// To the node that makes it, which is to keep its levels.
    void followMask(const PortRef& to) {
        PortRef at = to;
        for (size_t step = 0; step <= document_.nodes.size(); ++step) {
            const graph::Link* link = linkInto(document_, at);
            if (!link) {
                return;
            }
            const std::string node = link->from.node;
            if (partOf(node) == InpaintPart::MaskMaker) {
                keepLevels(document_, catalog_, node);
                return;
            }
            at = input(node, kMaskType);
        }
    }

    void moveWires(const PortRef& from, const PortRef& to, const std::string& except) {
        const std::vector<graph::Link> links = document_.links;
        for (const graph::Link& link : links) {
            if (link.from == from && link.to.node != except) {
                connect(document_, to, link.to);
            }
        }
    }

    graph::Document& document_;
    const graph::Catalog& catalog_;
    const InpaintFiles& files_;
    CanvasSizes sizes_;
};

}  // namespace

CanvasSizes withImages(CanvasSizes sizes) {
    return {.nodes = std::move(sizes.nodes),
            .ofNew = [ofNew = std::move(sizes.ofNew)](const NodeDesc& desc) {
                Point size = ofNew ? ofNew(desc) : kNewNodeSize;
                size.y += imageFileParam(desc) ? kImageHeight : 0;
                return size;
            }};
}

const ParamDesc* imageFileParam(const NodeDesc& desc) {
    return sourceParam(desc, false);
}

const ParamDesc* videoFileParam(const NodeDesc& desc) {
    return sourceParam(desc, true);
}

graph::PortRef addMaskOf(graph::Document& document,
                         const graph::Catalog& catalog,
                         const std::string& file,
                         Point at,
                         CanvasSizes& sizes) {
    const NodeDesc& reads = *nodeFor(catalog, InpaintPart::Source);
    const std::string maker =
        addNodeNear(document, *nodeFor(catalog, InpaintPart::MaskMaker), at, sizes);
    const Point mine = positionOf(document.nodes.at(maker));
    const std::string source = addNodeNear(document, reads, {mine.x - kAcross, mine.y}, sizes);
    document.nodes.at(source).params[imageFileParam(reads)->id] = file;
    connect(document,
            outputOfType(document, catalog, source, kImageType),
            inputOfType(document, catalog, maker, kImageType));
    keepLevels(document, catalog, maker);
    return outputOfType(document, catalog, maker, kMaskType);
}

InpaintPart inpaintPartOf(const NodeDesc& desc) {
    if (imageFileParam(desc)) {
        return InpaintPart::Source;
    }
    if (hasPort(desc.inputs, kImageType)) {
        return partOfImageTaker(desc);
    }
    if (!hasPort(desc.inputs, kLatentType) || !hasPort(desc.inputs, kModelType)) {
        return InpaintPart::None;
    }
    if (hasPort(desc.inputs, kMaskType) && hasPort(desc.outputs, kLatentType)) {
        return InpaintPart::Sampler;
    }
    return hasPort(desc.outputs, kImageType) ? InpaintPart::Decode : InpaintPart::None;
}

const NodeDesc* nodeFor(const graph::Catalog& catalog, InpaintPart part) {
    const auto found = std::ranges::find_if(
        catalog.nodes(), [part](const NodeDesc& desc) { return inpaintPartOf(desc) == part; });
    return found == catalog.nodes().end() ? nullptr : &*found;
}

InpaintWired wireInpainting(graph::Document& document,
                            const graph::Catalog& catalog,
                            const InpaintFiles& files,
                            const NodeIds& preferred,
                            const CanvasSizes& sizes) {
    Inpainting inpainting(document, catalog, files, sizes);
    if (!inpainting.areNodesThere()) {
        return {.refusal = InpaintWired::Refusal::NoNodes, .sampler = {}};
    }
    const std::string sampler = inpainting.samplerIn(preferred);
    if (sampler.empty()) {
        return {.refusal = InpaintWired::Refusal::NoSampler, .sampler = {}};
    }
    inpainting.wire(sampler);
    return {.refusal = InpaintWired::Refusal::None, .sampler = sampler};
}

}  // namespace lowtide::ui
