#include "nodes/engine/stage_inputs.hpp"
#include "nodes/load/loader.hpp"
#include "plugin/nn/model.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lowtide::nodes {

namespace {

/// A network that comes in by a port of load.diffusion_model, from a node of its own.
struct PartNode {
    const char* item;  ///< the port, and the rest of the node's id
    const char* type;
    const char* label;
    const char* nodeLabel;
    const char* tooltip;
    const char* fileTooltip;
    const char* portTooltip;  ///< of load.diffusion_model
    size_t files = 1;         ///< that it opens at most
    const char* plural = "";  ///< behind the node's id where they are several
};

constexpr size_t kTextEncoderNode = 0;
constexpr size_t kTextEncodersNode = 1;
constexpr size_t kAutoencoderNode = 2;
constexpr size_t kImageEncoderNode = 3;

std::array<PartNode, 4> partNodes() {
    return {
        PartNode{"text_encoder",
                 "TEXT_ENCODER",
                 "Text encoder",
                 "Load text encoder",
                 "Opens the text encoder of a model that lies in several files. Only the "
                 "header is read here.",
                 "The text encoder as one file: .safetensors, .gguf or .pth; relative to the graph "
                 "or to "
                 "a model folder.",
                 "From Load text encoder or Load text encoders. Every model needs one."},
        PartNode{"text_encoder",
                 "TEXT_ENCODER",
                 "Text encoder",
                 "Load text encoders",
                 "Opens the text encoders of a model that has several, each in a file of its own. "
                 "Their order does not matter: each file states which one it is.",
                 "A text encoder as one file or folder: CLIP-L, CLIP-G, T5 XXL or Llama "
                 "3.1 8B. Leave it empty for one that you do not have.",
                 "",
                 models::kMostTextEncoders,
                 "s"},
        PartNode{"autoencoder",
                 "AUTOENCODER",
                 "Autoencoder",
                 "Load autoencoder",
                 "Opens the autoencoder of a model that lies in several files. Only the header "
                 "is read here.",
                 "The autoencoder (VAE) that the diffusion model was trained with, as one file: "
                 ".safetensors or .pth, relative to the graph or to a model folder.",
                 "From Load autoencoder. Every model needs it."},
        PartNode{
            "image_encoder",
            "IMAGE_ENCODER",
            "Image encoder",
            "Load image encoder",
            "Opens the image encoder of a model that lies in several files. Only the "
            "header is read here.",
            "CLIP ViT-H as one file (clip_vision_h), relative to the graph or to a model "
            "folder.",
            "From Load image encoder. Some models need it where a video begins with an image."}};
}

std::string fileParam(size_t index) {
    return index == 0 ? "file" : "file_" + std::to_string(index + 1);
}

NodeDesc describePart(const PartNode& part) {
    NodeDesc desc{.id = std::string("load.") + part.item + part.plural,
                  .label = part.nodeLabel,
                  .category = "Load",
                  .tooltip = part.tooltip,
                  .outputs = {{.id = part.item,
                               .label = part.label,
                               .tooltip = "Connect it to Load diffusion model.",
                               .type = part.type}}};
    for (size_t i = 0; i < part.files; ++i) {
        desc.params.push_back({.id = fileParam(i),
                               .label = part.label + (i == 0 ? "" : " " + std::to_string(i + 1)),
                               .tooltip = part.fileTooltip,
                               .kind = ParamKind::File,
                               .defaultValue = std::string()});
    }
    return desc;
}

executor::NodeType partNode(Stages& stages, const PartNode& part) {
    const auto open = [&stages, item = std::string(part.item), count = part.files](
                          const executor::Params& params, std::string_view graphFolder) {
        models::PartRequest request{.item = item, .files = {}};
        for (size_t i = 0; i < count; ++i) {
            request.files.emplace_back(fileParam(i), params.text(fileParam(i)));
        }
        return stages.loadPart(request, graphFolder);
    };
    return {.desc = describePart(part),
            .spec =
                [&stages, open, item = std::string(part.item), type = std::string(part.type)](
                    const executor::SpecContext& context) {
                    return loadedSpec(stages, item, type, open(context, context.graphFolder()));
                },
            .run =
                [open, item = std::string(part.item)](executor::Context& context) {
                    context.output(item, open(context, context.graphFolder()));
                }};
}

/// Of one of two denoisers alone, and of an image encoder that nothing looks at, which may be null.
Issues splitWarnings(const models::Model& model, const WireRef& imageEncoder) {
    Issues warnings;
    const models::ModelInfo& info = model.info();
    if (info.half) {
        const bool isLow = info.half->isLow;
        warnings.push_back(
            {.severity = Severity::Warning,
             .code = "one_of_two_models",
             .item = isLow ? "file" : models::kLowNoiseItem,
             .message = message("{} is one of the two models of {}, and runs alone here",
                                info.denoiser,
                                info.half->of),
             .hint = isLow ? message("choose the high-noise model as Diffusion model, and this "
                                     "file as Low-noise model")
                           : message("choose the low-noise model as Low-noise model")});
    }
    const std::vector<models::ComponentDesc> components = model.components();
    const bool sees = std::any_of(components.begin(), components.end(), [](const auto& each) {
        return each.role == models::kImageEncoder;
    });
    if (imageEncoder && !sees) {
        warnings.push_back(
            {.severity = Severity::Warning,
             .code = "image_encoder_not_used",
             .item = "image_encoder",
             .message =
                 message("{} looks at no image: the image encoder is not used", info.denoiser),
             .hint = message("disconnect it")});
    }
    return warnings;
}

std::vector<Field<models::DiffusionModelRequest>> loadDiffusionModelFields() {
    using Asked = models::DiffusionModelRequest;
    const std::array<PartNode, 4> parts = partNodes();
    const auto port = [](const PartNode& part) {
        return PortDesc{.id = part.item,
                        .label = part.label,
                        .tooltip = part.portTooltip,
                        .type = part.type,
                        .optional = true};
    };
    return {
        input(&Asked::textEncoder, port(parts[kTextEncoderNode])),
        input(&Asked::autoencoder, port(parts[kAutoencoderNode])),
        input(&Asked::imageEncoder, port(parts[kImageEncoderNode])),
        param(&Asked::file,
              {.id = "file",
               .label = "Diffusion model",
               .tooltip = "The transformer as one file, quantised or not: .safetensors or .gguf, "
                          "relative to the graph or to a model folder. Of a model with two "
                          "transformers, the one for high noise.",
               .kind = ParamKind::File}),
        param(&Asked::lowNoise,
              {.id = "low_noise",
               .label = "Low-noise model",
               .tooltip = "Of a model with two transformers, the one that takes the last "
                          "steps. Leave it empty for models with one denoiser.",
               .kind = ParamKind::File})};
}

}  // namespace

executor::NodeType loadDiffusionModelNode(Stages& stages) {
    using Asked = models::DiffusionModelRequest;
    return nodeOf<Asked>(
        stages,
        Loader<Asked>{
            .desc = {.id = "load.diffusion_model",
                     .label = "Load diffusion model",
                     .category = "Load",
                     .tooltip =
                         "Makes a model of a denoiser's file and the files of its other networks. "
                         "Only headers are read here.",
                     .outputs = {{.id = "model",
                                  .label = "Model",
                                  .tooltip = "The networks of all files.",
                                  .type = "MODEL"}}},
            .fields = loadDiffusionModelFields(),
            .open = [](Stages& own, const Asked& asked, std::string_view graphFolder) {
                WireRef model = own.loadDiffusionModel(asked, graphFolder);
                Issues warnings = splitWarnings(modelIn(model), asked.imageEncoder);
                return LoadedModel{.model = std::move(model), .warnings = std::move(warnings)};
            }});
}

executor::NodeType loadTextEncoderNode(Stages& stages) {
    return partNode(stages, partNodes()[kTextEncoderNode]);
}

executor::NodeType loadTextEncodersNode(Stages& stages) {
    return partNode(stages, partNodes()[kTextEncodersNode]);
}

executor::NodeType loadAutoencoderNode(Stages& stages) {
    return partNode(stages, partNodes()[kAutoencoderNode]);
}

executor::NodeType loadImageEncoderNode(Stages& stages) {
    return partNode(stages, partNodes()[kImageEncoderNode]);
}

}  // namespace lowtide::nodes
