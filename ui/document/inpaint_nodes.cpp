#include "ui/document/inpaint_nodes.hpp"

#include "ui/document/model_wires.hpp"

#include <algorithm>

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

InpaintPart partOfPictureTaker(const NodeDesc& desc) {
    const auto pictures = countOf(desc.inputs, kPictureType);
    if (pictures == 2 && hasPort(desc.inputs, kMaskType) && givesOnly(desc, kPictureType)) {
        return InpaintPart::Composite;
    }
    if (pictures != 1) {
        return InpaintPart::None;
    }
    if (desc.inputs.size() == 1 && givesOnly(desc, kMaskType)) {
        return InpaintPart::MaskMaker;
    }
    if (hasPort(desc.inputs, kModelType) && givesOnly(desc, kLatentType)) {
        return InpaintPart::Encode;
    }
    const bool givesBoth = hasPort(desc.outputs, kPictureType) && hasPort(desc.outputs, kMaskType);
    return givesBoth && hasPort(desc.inputs, kMaskType) ? InpaintPart::Fit : InpaintPart::None;
}

const ParamDesc* sourceParam(const NodeDesc& desc, bool ofVideo) {
    if (!desc.inputs.empty() || desc.outputs.empty() || desc.outputs.front().type != kPictureType) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(desc.params, [ofVideo](const ParamDesc& param) {
        return param.kind == ParamKind::File && (param.id == "video") == ofVideo;
    });
    return found == desc.params.end() ? nullptr : &*found;
}

}  // namespace

const ParamDesc* pictureFileParam(const NodeDesc& desc) {
    return sourceParam(desc, false);
}

const ParamDesc* videoFileParam(const NodeDesc& desc) {
    return sourceParam(desc, true);
}

InpaintPart inpaintPartOf(const NodeDesc& desc) {
    if (pictureFileParam(desc)) {
        return InpaintPart::Source;
    }
    if (hasPort(desc.inputs, kPictureType)) {
        return partOfPictureTaker(desc);
    }
    if (!hasPort(desc.inputs, kLatentType) || !hasPort(desc.inputs, kModelType)) {
        return InpaintPart::None;
    }
    if (hasPort(desc.inputs, kMaskType) && hasPort(desc.outputs, kLatentType)) {
        return InpaintPart::Sampler;
    }
    return hasPort(desc.outputs, kPictureType) ? InpaintPart::Decode : InpaintPart::None;
}

const NodeDesc* nodeFor(const graph::Catalog& catalog, InpaintPart part) {
    const auto found = std::ranges::find_if(
        catalog.nodes(), [part](const NodeDesc& desc) { return inpaintPartOf(desc) == part; });
    return found == catalog.nodes().end() ? nullptr : &*found;
}

}  // namespace lowtide::ui
