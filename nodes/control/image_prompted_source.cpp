#include "nodes/control/image_prompted_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace lowtide::nodes {

namespace {

constexpr const char* kImagePromptPort = "image_prompt";
constexpr std::string_view kCrossAttention = ".attn2";

/// Cross attentions in the order in which IP-Adapters count them: on the way down, up, and in the
/// middle, which the tree has between them.
std::vector<memory::LeafId> crossAttentions(const memory::ComponentTree& tree) {
    std::vector<memory::LeafId> leaves;
    for (const std::string_view part : {"down_blocks.", "up_blocks.", "mid_block."}) {
        for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
            const std::string& name = tree.leaves[leaf].name;
            if (name.starts_with(part) && name.ends_with(kCrossAttention)) {
                leaves.push_back(leaf);
            }
        }
    }
    return leaves;
}

/// [width, contextWidth] of the leaf's keys.
const Shape& keyShape(const memory::ComponentTree& tree, memory::LeafId leaf) {
    constexpr size_t kKey = 1;  // behind the query
    return tree.weights[tree.leaves[leaf].weights.at(kKey)].shape;
}

/// "768 wide (SD 1.x)".
Message textOf(int64_t contextWidth) {
    const Message base = models::AdapterBase{.contextWidth = contextWidth}.text();
    return base.str().starts_with("SD") ? message("{} wide ({})", contextWidth, base)
                                        : message("{} wide", contextWidth);
}

[[noreturn]] void refuseIpAdapter(const models::IpAdapter& adapter,
                                  const models::Model& model,
                                  const Message& problem) {
    throw Error(
        ErrorKind::InvalidInput,
        message(
            "IP-Adapter {} does not fit {}: {}", adapter.name(), model.info().checkpoint, problem),
        message("choose an IP-Adapter that was made for this checkpoint's family"),
        kImagePromptPort);
}

void checkAttentions(const models::IpAdapter& adapter,
                     const models::Model& model,
                     const memory::ComponentTree& tree,
                     const std::vector<memory::LeafId>& leaves) {
    const std::vector<models::IpPair>& pairs = adapter.file().pairs;
    if (leaves.empty()) {
        refuseIpAdapter(adapter, model, message("its denoiser has no cross attention"));
    }
    const int64_t contextWidth = keyShape(tree, leaves.front()).at(1);
    if (contextWidth != adapter.file().contextWidth()) {
        refuseIpAdapter(adapter,
                        model,
                        message("it is for a text {}, that of the checkpoint is {}",
                                textOf(adapter.file().contextWidth()),
                                textOf(contextWidth)));
    }
    if (pairs.size() != leaves.size()) {
        refuseIpAdapter(
            adapter,
            model,
            message(
                "it is for {} cross attentions, the denoiser has {}", pairs.size(), leaves.size()));
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
        const Shape& own = keyShape(tree, leaves[i]);
        if (pairs[i].key.location.shape != own) {
            refuseIpAdapter(adapter,
                            model,
                            message("{} is {}, the keys of {} {}",
                                    pairs[i].key.key,
                                    toText(pairs[i].key.location.shape),
                                    tree.leaves[leaves[i]].name,
                                    toText(own)));
        }
    }
}

memory::AddedWeight addedWeight(memory::LeafId leaf,
                                const models::IpTensor& tensor,
                                const std::string& name,
                                uint32_t file) {
    return {.leaf = leaf,
            .location = {.name = name,
                         .key = tensor.key,
                         .file = file,
                         .fileOffset = tensor.location.offset,
                         .type = tensor.location.type,
                         .shape = tensor.location.shape,
                         .encoded = tensor.location.encoded},
            .isTransposed = tensor.location.isTransposed};
}

/// The pairs of each adapter in each cross attention, as diffusers names them.
memory::Composition compositionOf(
    const models::Model& model,
    const std::vector<std::shared_ptr<const models::IpAdapter>>& adapters,
    const memory::ComponentTree& tree) {
    const std::vector<memory::LeafId> leaves = crossAttentions(tree);
    memory::Composition composition;
    for (size_t i = 0; i < adapters.size(); ++i) {
        const models::IpAdapterFile& file = adapters[i]->file();
        checkAttentions(*adapters[i], model, tree, leaves);
        const auto own = static_cast<uint32_t>(composition.files.size());
        composition.files.insert(composition.files.end(), file.files.begin(), file.files.end());
        const std::string end = "." + std::to_string(i) + ".weight";
        for (size_t pair = 0; pair < leaves.size(); ++pair) {
            composition.weights.push_back(
                addedWeight(leaves[pair], file.pairs[pair].key, "to_k_ip" + end, own));
            composition.weights.push_back(
                addedWeight(leaves[pair], file.pairs[pair].value, "to_v_ip" + end, own));
        }
    }
    return composition;
}

}  // namespace

ImagePromptedSource::ImagePromptedSource(std::shared_ptr<const models::Model> model,
                                         const ImagePrompts& prompts)
    : model_(std::move(model)), adapters_(prompts.adapters()), files_(model_->files()) {
    for (const std::shared_ptr<const models::IpAdapter>& adapter : adapters_) {
        const std::vector<memory::WeightFile>& own = adapter->file().files;
        files_.insert(files_.end(), own.begin(), own.end());
    }
}

std::shared_ptr<const memory::ComponentTree> ImagePromptedSource::tree(
    std::string_view role) const {
    if (role != models::kDenoiser) {
        return model_->tree(role);
    }
    const std::lock_guard lock(mutex_);
    if (!denoiser_) {
        const auto plain = treeIn(*model_, models::kDenoiser);
        denoiser_ = std::make_shared<const memory::ComponentTree>(
            memory::composed(*plain, compositionOf(*model_, adapters_, *plain)));
    }
    return denoiser_;
}

std::shared_ptr<const memory::ComponentTree> ImagePromptedSource::openedTree(
    std::string_view role) const {
    return model_->openedTree(role) ? tree(role) : nullptr;
}

std::shared_ptr<const models::ComponentSource> withImagePrompts(const models::Model& model,
                                                                const memory::WireRef& prompts) {
    const ImagePrompts* given = imagePromptsIn(prompts);
    if (!given) {
        return model.shared_from_this();
    }
    return std::make_shared<const ImagePromptedSource>(
        std::static_pointer_cast<const models::Model>(model.shared_from_this()), *given);
}

void checkImagePrompts(const models::Model& model,
                       const ImagePrompts& prompts,
                       const Shape& latents) {
    const auto tree = treeIn(model, models::kDenoiser);
    (void)compositionOf(model, prompts.adapters(), *tree);
    for (const ImagePromptEntry& entry : prompts.entries()) {
        const int64_t masks = entry.maskShape.empty() ? 1 : entry.maskShape.at(0);
        if (masks != 1 && masks != latents.at(0)) {
            throw Error(ErrorKind::InvalidInput,
                        message("there are {} masks of IP-Adapter {} for {} images",
                                masks,
                                entry.adapter->name(),
                                latents.at(0)),
                        message("connect one mask for all images, or one for each"),
                        kImagePromptPort);
        }
    }
}

}  // namespace lowtide::nodes
