#pragma once
// A loaded checkpoint as the stages use it, whatever its family.

#include "plugin/base/json.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/sampling/network_facts.hpp"

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
struct ImageConditioning;
}  // namespace lowtide::tensor

namespace lowtide::sampling {
class Denoiser;
struct StepInfo;
}  // namespace lowtide::sampling

namespace lowtide::models {

/// What a stage works with: the way to weights, and the recorder.
struct StageContext;
/// What adapters add inside the denoiser.
struct UNetResiduals;
/// Textual inversions that prompts may name.
class EmbeddingLibrary;
/// What a denoiser reads in addition to latents and time (denoisers/unet2d_inputs).
struct UNetConditioning;
/// Keys and values of images for its cross attentions (blocks/attention).
struct ImageTokens;

/// Patterns of the roles of components that stages run, all of a kind.
inline constexpr std::string_view kTextEncoders = "text_encoder*";
inline constexpr std::string_view kDenoisers = "denoiser*";
inline constexpr std::string_view kDenoiser = "denoiser";
/// The role of the low-noise model of a family that has two denoisers.
inline constexpr std::string_view kSecondDenoiser = "denoiser_2";
inline constexpr std::string_view kAutoencoder = "autoencoder";
/// The role of a family's one text encoder, or of the first.
inline constexpr std::string_view kTextEncoder = "text_encoder";
inline constexpr std::string_view kTextEncoder2 = "text_encoder_2";
inline constexpr std::string_view kTextEncoder3 = "text_encoder_3";
inline constexpr std::string_view kTextEncoder4 = "text_encoder_4";
inline constexpr std::string_view kImageEncoder = "image_encoder";

/// What images of a checkpoint are usually made with; 0: not known.
struct UsualSettings {
    int64_t pixels = 0;           ///< of the images that it was trained at
    bool scalesToPixels = false;  ///< its own pipeline makes every image as large as that
    double cfg = 0;               ///< 1: it was distilled to need no guidance
};

/// One of two denoisers of a model, which runs without the other.
struct HalfModel {
    std::string of;      ///< the model, for users
    bool isLow = false;  ///< it is the one for lower noise levels
};

/// Facts of a checkpoint that need no weight.
struct ModelInfo {
    std::string family;
    std::string checkpoint;  ///< file or folder name, for users
    /// Likewise of the file or folder with its denoiser; empty: the checkpoint.
    std::string denoiser{};
    std::string secondDenoiser{};     ///< likewise, of the low-noise model
    std::optional<HalfModel> half{};  ///< nothing: no other denoiser belongs to it
    Json schedulerConfig;             ///< scheduler/scheduler_config.json
    LatentSpace latent{};
    sampling::Guidance guidance = sampling::Guidance::Batched;
    /// A pipeline that takes all steps in image to image too: strength bounds their timesteps.
    bool spreadsStrength = false;
    /// Its image to image takes the part of a step that a strength asks for as a whole step; else
    /// it leaves that part out.
    bool roundsStrengthUp = false;
    UsualSettings usual{};
    /// What its denoiser gives has the opposite sign of what its schedule means.
    bool negatesPrediction = false;
    /// Layers that its text encoders leave out without a clip skip.
    int ownClipSkip = 0;
    /// What its flow is shifted by for images of a size; empty: as its scheduler file states.
    std::function<double(const ImageSize& size)> flowShift{};
    /// Of its two denoisers the second takes the timesteps below this fraction of all; 0: it has
    /// one denoiser.
    double boundaryRatio = 0;
    /// Channels of images that a video goes through, in addition to its latents; 0: it goes through
    /// none.
    int64_t imageConditioningChannels = 0;
    /// Of an image encoder's states of one such image, [S, D]; empty: it reads none.
    Shape visionImage{};
    bool endsWithImage = false;   ///< it may go through a last image too
    bool needsLastImage = false;  ///< it must
    bool fillsMasks = false;      ///< its denoiser takes a mask and a masked image with the latent
    bool isRefiner = false;       ///< trained to finish images that another model began
    ConditioningStatement conditioning{};        ///< of its encoded prompts
    sampling::CachePoints cachePoints{};         ///< of the denoiser
    std::optional<LatentToRgb> latentToRgb{};    ///< nothing: how latents look is not known
    std::vector<memory::WeightFile> files;       ///< every file that was read
    std::vector<memory::WeightFile> adapters{};  ///< LoRAs and their kin, in their order
};

struct PromptRequest {
    std::string prompt;
    std::string negative;
    EncoderPrompts others{};
    int64_t length = 0;              ///< tokens of each text; 0: as the family does it
    int clipSkip = -1;               ///< layers left out at the end; -1: as the family does it
    std::string weights = "none";    ///< as promptWeightsNamed() has it
    tensor::NamedNumbers numbers{};  ///< those that are set, by the names of their parameters
    /// What the texts may name; null: nothing.
    std::shared_ptr<const EmbeddingLibrary> embeddings{};
    bool hasTags = false;       ///< the prompt's tags ("<lora:name:1>") are no words
    bool encodesEmpty = false;  ///< an empty negative text is encoded where zeros are usual
    /// Called when the encoder of a role begins, behind `done` of `total`; empty: nobody wants to
    /// know.
    std::function<void(std::string_view role, size_t done, size_t total)> begins{};

    /// What text encoders read of the prompt.
    [[nodiscard]] std::string spokenPrompt() const;
};

struct EncodedPrompts {
    std::shared_ptr<const tensor::Conditioning> positive;
    std::shared_ptr<const tensor::Conditioning> negative;
};

/// A call of the denoiser, as adapters see it.
struct ResidualsCall {
    const at::Tensor& latents;  ///< [N, C, h, w]: both halves of a guided batch
    const at::Tensor& timestep;
    const sampling::StepInfo& step;
    const UNetConditioning& conditioning;  ///< of the call, in f32
    int64_t positives = 0;                 ///< the last rows, which follow the positive prompt
    const LatentArea* area = nullptr;      ///< that the input covers of the latent image; null: all
};

/// What adapters add in one call of the denoiser.
using ResidualsFor = std::function<UNetResiduals(const ResidualsCall& call)>;

/// What images add in one call of the denoiser, to its rows.
using ImagesFor = std::function<std::vector<ImageTokens>(const ResidualsCall& call)>;

struct DenoiserRequest {
    const tensor::Conditioning& positive;
    const tensor::Conditioning* negative;  ///< nullptr: no guidance
    ImageSize image{};                     ///< that the whole latent becomes
    int64_t batch = 1;
    double cfg = 1;
    std::optional<sampling::LowNoiseModel> second{};  ///< nothing: one network makes all calls
    ResidualsFor residuals{};  ///< asked before every call; empty: nothing is added
    ImagesFor images{};        ///< likewise; empty: it sees none
    /// What an image encoder makes of the images that a video goes through, [1, S, D]; null: the
    /// model sees none.
    const at::Tensor* visionEmbeds = nullptr;
    std::string_view checkpoint{"the denoiser"};  ///< whose denoiser it is, for messages
    /// Its scheduler file as the request changes it; null: as it is.
    const Json* scheduler = nullptr;
};

/// Images that a video shall go through, [1, 3, H, W] in 0..1.
struct VideoImages {
    const at::Tensor& first;       ///< as it came, for an image encoder
    const at::Tensor& firstFrame;  ///< at the video's size
    const at::Tensor* last;        ///< likewise; null: none
    const at::Tensor* lastFrame;
    ImageSize size;          ///< with the video's frames
    int64_t tilePixels = 0;  ///< side of the tiles in which frames are encoded; 0: whole
};

/// One checkpoint of one family. Immutable. Its networks are stored and computed as the context of
/// a stage has them.
class Model : public ComponentSource {
public:
    [[nodiscard]] std::string_view type() const override { return "MODEL"; }

    [[nodiscard]] const std::string& name() const override { return info().checkpoint; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override {
        return info().files;
    }

    [[nodiscard]] virtual const ModelInfo& info() const = 0;

    /// Of what encodePrompts() would give, with its errors about the texts. Any thread.
    [[nodiscard]] virtual PromptsSpec promptsSpec(const PromptRequest& request) const = 0;
    /// Encodes both prompts on the device of the text encoder.
    [[nodiscard]] virtual EncodedPrompts encodePrompts(StageContext& context,
                                                       const PromptRequest& request) const = 0;

    /// Whether its denoiser is asked for the negative prompt too at this cfg.
    [[nodiscard]] bool guides(double cfg) const {
        return cfg > 1 && info().guidance != sampling::Guidance::Embedded;
    }

    /// The network with its conditioning. What `context` holds and refers to must outlive it.
    /// Error{InvalidInput} when a conditioning is another encoder's.
    [[nodiscard]] virtual std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const = 0;
    /// Latents as forAutoencoder() gives them, [B, C, h, w] -> images [B, 3, H, W], about -1..1.
    /// Of one video: [1, C, F, h, w] -> its frames [f, 3, H, W].
    [[nodiscard]] virtual at::Tensor decode(StageContext& context,
                                            const at::Tensor& latents) const = 0;
    /// Images [B, 3, H, W] in -1..1 -> mean and log variance [B, 2 C, h, w], for forDenoiser().
    /// Of the frames of one video: [1, 2 C, F, h, w].
    [[nodiscard]] virtual at::Tensor encode(StageContext& context,
                                            const at::Tensor& pixels) const = 0;
    /// What its denoiser is given of images, on its devices. Error{Unsupported} on "model" where
    /// its videos go through none.
    [[nodiscard]] virtual tensor::ImageConditioning encodeImageConditioning(
        StageContext& context, const VideoImages& images) const;
};

/// The model of a family, which lists its components once.
class FamilyModel : public Model {
public:
    [[nodiscard]] std::vector<ComponentDesc> components() const final { return components_; }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const final;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const final;

protected:
    /// By constructors, once. `all`: those of the family; it has those that `sources` name, which
    /// may refer to its members.
    void setComponents(std::vector<ComponentDesc> all, std::vector<TreeSource> sources);

private:
    /// nullptr: it has no such component.
    [[nodiscard]] const TreeSource* sourceOf(std::string_view role) const;

    std::vector<ComponentDesc> components_;
    std::vector<TreeSource> sources_;
};

/// Error{Unsupported} on "model": its videos begin with no image.
[[noreturn]] void refuseVideoStart(const Model& model);

}  // namespace lowtide::models
