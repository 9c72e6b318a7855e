#pragma once
// A loaded checkpoint as the stages use it, whatever its family.

#include "plugin/base/json.hpp"
#include "plugin/memory/weight_file.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/models/conditioning/conditioning_statement.hpp"
#include "plugin/models/latent_space.hpp"
#include "plugin/models/latent_to_rgb.hpp"
#include "plugin/sampling/step_caches/cache_points.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::tensor {
class Conditioning;
}

namespace lowtide::memory {
struct ComponentTree;
struct FamilyPrecision;
}  // namespace lowtide::memory

namespace lowtide::sampling {
class Denoiser;
struct StepInfo;
}  // namespace lowtide::sampling

namespace lowtide::models {

/// What a stage works with: the way to weights, and the recorder.
struct StageContext;
/// What adapters add inside the denoiser.
struct UNetResiduals;
/// A rectangle of a latent picture (conditioning/placed_entries).
struct LatentArea;

/// Roles of the component trees.
inline constexpr std::string_view kTextEncoder = "text_encoder";
inline constexpr std::string_view kTextEncoder2 = "text_encoder_2";
inline constexpr std::string_view kDenoiser = "denoiser";
inline constexpr std::string_view kAutoencoder = "autoencoder";

/// Facts of a checkpoint that need no weight.
struct ModelInfo {
    std::string family;
    std::string checkpoint;  ///< file or folder name, for people
    Json schedulerConfig;    ///< scheduler/scheduler_config.json
    LatentSpace latent{};
    /// Guidance is an input of its denoiser: it was distilled for latent consistency.
    bool embedsGuidance = false;
    /// A pipeline that takes all steps in image to image too: strength bounds their timesteps.
    bool spreadsStrength = false;
    bool fillsMasks = false;  ///< its denoiser takes a mask and a masked picture beside the latent
    std::vector<std::string> textEncoders = {std::string(kTextEncoder)};  ///< roles, in order
    ConditioningStatement conditioning{};      ///< of its encoded prompts
    sampling::CachePoints cachePoints{};       ///< of the denoiser
    std::optional<LatentToRgb> latentToRgb{};  ///< nothing: how latents look is not known
    std::vector<memory::WeightFile> files;     ///< every file that was read
};

struct PromptRequest {
    std::string prompt;
    std::string negative;
    std::string prompt2{};           ///< for the second encoder; empty: the prompt
    std::string negative2{};         ///< likewise
    int clipSkip = -1;               ///< layers left out at the end; -1: as the family does it
    std::string weights = "none";    ///< none, a1111 or compel
    tensor::NamedNumbers numbers{};  ///< those that are set, by the names of their parameters
};

struct EncodedPrompts {
    std::shared_ptr<const tensor::Conditioning> positive;
    std::shared_ptr<const tensor::Conditioning> negative;
};

/// What adapters add in one call of the denoiser, for the input of that call: both halves of a
/// guided batch. `area`: the part of the latent picture that the input is, nullptr: all of it.
using ResidualsFor = std::function<UNetResiduals(const at::Tensor& latents,
                                                 const at::Tensor& timestep,
                                                 const sampling::StepInfo& step,
                                                 const LatentArea* area)>;

struct DenoiserRequest {
    const tensor::Conditioning& positive;
    const tensor::Conditioning* negative;  ///< nullptr: no guidance
    PictureSize picture{};                 ///< that the whole latent becomes
    int64_t batch = 1;
    double cfg = 1;
    ResidualsFor residuals{};  ///< asked before every call; empty: nothing is added
};

/// One checkpoint of one family. Immutable; holds trees and settings, never a weight.
class Model : public memory::WireValue, public std::enable_shared_from_this<Model> {
public:
    [[nodiscard]] std::string_view type() const override { return "MODEL"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override { return shared_from_this(); }

    [[nodiscard]] virtual const ModelInfo& info() const = 0;
    /// nullptr when the model has no such component. May open its files, for their headers.
    /// Error{Corrupt}, Error{Unsupported} name file and tensor. Any thread.
    [[nodiscard]] virtual std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const = 0;

    /// As tree(), but nullptr too where tree() was not asked for yet and would have to open files.
    [[nodiscard]] virtual std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const = 0;

    /// What its family states of precision.
    [[nodiscard]] virtual const memory::FamilyPrecision& precisions() const = 0;

    /// The same weights computed in f32, for results that half precision could not hold; nullptr
    /// where nothing is checked.
    [[nodiscard]] virtual std::shared_ptr<const Model> inF32() const { return nullptr; }

    /// Of what encodePrompts() would give, with its errors about the texts. Any thread.
    [[nodiscard]] virtual PromptsOutline outlinePrompts(const PromptRequest& request) const = 0;
    /// Encodes both prompts on the device of the text encoder.
    [[nodiscard]] virtual EncodedPrompts encodePrompts(StageContext& context,
                                                       const PromptRequest& request) const = 0;
    /// Whether guidance is a second half of the batch at this cfg (else it is off, or embedded).
    [[nodiscard]] virtual bool guidesByBatch(double cfg) const = 0;
    /// The network with its conditioning. What `context` refers to must outlive it.
    /// Error{InvalidInput} when a conditioning is another encoder's.
    [[nodiscard]] virtual std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const = 0;
    /// Latents as forAutoencoder() gives them, [B, C, h, w] -> pictures [B, 3, H, W], about -1..1.
    [[nodiscard]] virtual at::Tensor decode(StageContext& context,
                                            const at::Tensor& latents) const = 0;
    /// Pictures [B, 3, H, W] in -1..1 -> mean and log variance [B, 2 C, h, w], for forDenoiser().
    [[nodiscard]] virtual at::Tensor encode(StageContext& context,
                                            const at::Tensor& pixels) const = 0;
};

}  // namespace lowtide::models
