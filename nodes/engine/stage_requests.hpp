#pragma once
// What is asked of each stage, with its wires and settings. Torch-free.

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::models {
class EmbeddingLibrary;
}

namespace lowtide::nodes {

using tensor::NamedNumbers;

struct EncodeRequest {
    WireRef model;
    std::string prompt;
    bool hasTags = false;  ///< its tags ("<lora:name:1>") are no words; `model` has their changes
    std::string negative;
    models::EncoderPrompts others{};
    int64_t length = 0;  ///< tokens of each text; 0: as the family does it
    /// Layers left out at the end; -1: as the family does it. Of the negative too, but with none.
    int clipSkip = -1;
    std::string weights = "none";  ///< none, a1111 or compel
    NamedNumbers numbers{};        ///< those that are set, by the names of their parameters
    std::shared_ptr<const models::EmbeddingLibrary> embeddings{};  ///< null: the texts name none
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<EncodeRequest>& stageOf(const EncodeRequest&);

struct EmptyLatentRequest {
    int64_t widthPixels = 512;
    int64_t heightPixels = 512;
    int64_t frames = 1;  ///< more: of a video
    int64_t batch = 1;
    double rate = 0;  ///< frames a second of a video; 0: it is none
};

[[nodiscard]] const StageDef<EmptyLatentRequest>& stageOf(const EmptyLatentRequest&);

/// Pictures to latents.
struct ImageEncodeRequest {
    WireRef model;
    WireRef image;
    WireRef mask;            ///< may be null; what it covers is made grey first
    int64_t tilePixels = 0;  ///< side of a tile with blended seams, 0: whole; changes pixels
    /// "sample": a denoiser draws from what the autoencoder saw, with its own seed, as diffusers
    /// does; "mean": the likeliest latents, the same for every seed.
    std::string sampling = "sample";
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<ImageEncodeRequest>& stageOf(const ImageEncodeRequest&);

/// A mask of what pictures show.
struct MaskRequest {
    WireRef image;
    std::string channel = "brightness";  ///< or red, green, blue
    double threshold = 0.5;              ///< masked from here on; 0: as much as the level says
    bool isInverted = false;
};

[[nodiscard]] const StageDef<MaskRequest>& stageOf(const MaskRequest&);

/// Settings of a step cache: the node's parameters by id.
struct StepCacheRequest {
    std::string kind;  ///< "deepcache"
    Json settings = Json::object();
};

struct DenoiseRequest {
    WireRef model;
    WireRef positive;
    WireRef negative;  ///< may be null where cfg <= 1: no empty prompt is encoded here
    WireRef latent;
    WireRef mask;         ///< may be null: all is made anew
    WireRef masked;       ///< may be null; latent of the masked picture, for models that fill masks
    WireRef stepCache;    ///< may be null: every step computes the whole network
    WireRef control;      ///< may be null: nothing is added inside the network
    WireRef imagePrompt;  ///< may be null: the text alone is followed
    int steps = 20;
    double cfg = 7.5;
    double cfg2 = 0;      ///< of the second of two experts; 0: as cfg
    double boundary = 0;  ///< share of the timesteps that are its; 0: as the model says
    uint64_t seed = 0;
    std::string batchSeeds = "one";  ///< one, or each: picture k has seed + k
    std::string sampler = "checkpoint";
    std::string sigmas = "sampler";
    std::string spacing = "sampler";
    int startStep = 0;
    int endStep = -1;
    bool addNoise = true;
    bool keepNoise = false;
    /// Shares of the schedule in place of the steps, for a base and its refiner: a pass that begins
    /// at one above 0 adds no noise, one that ends at one below 1 leaves its noise in.
    double startAt = 0;
    double endAt = 1;
    double eta = 0;
    double shift = 0;  ///< of a flow's noise levels; 0: the family's for the size, else the file's
    double guidanceRescale = 0;
    double strength = 1;  ///< share of the steps that are taken, the last ones; 1: all
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<DenoiseRequest>& stageOf(const DenoiseRequest&);

/// Of a picture; 0: as the other side asks for, at the picture's shape.
struct PixelSize {
    int64_t width = 0;
    int64_t height = 0;
};

/// Pictures, and their masks, at a size that a model takes.
struct FitRequest {
    WireRef image;
    WireRef mask;                    ///< may be null; goes the same way
    WireRef model;                   ///< may be null; sides are multiples of what it wants too
    PixelSize size;                  ///< 0 0: the picture's own, as multiples
    int64_t multiple = 8;            ///< of both sides
    std::string mode = "crop";       ///< or pad, stretch
    std::string method = "lanczos";  ///< lanczos, bicubic, area; of the picture
    std::string fill = "grey";       ///< around a padded picture: grey, black, white, edge
};

[[nodiscard]] const StageDef<FitRequest>& stageOf(const FitRequest&);

/// A picture laid on another one.
struct CompositeRequest {
    WireRef destination;
    WireRef source;
    WireRef mask;  ///< may be null: all of the source; 1 shows the source, 0 the destination
    int64_t xPixels = 0;
    int64_t yPixels = 0;
    bool isResized = false;  ///< the source gets the destination's size first
};

[[nodiscard]] const StageDef<CompositeRequest>& stageOf(const CompositeRequest&);

/// A mask made larger or smaller, and softer.
struct MaskGrowRequest {
    WireRef mask;
    int64_t pixels = 0;               ///< by so many; negative: smaller
    std::string corners = "tapered";  ///< or square
    double feather = 0;               ///< standard deviation of the blur, in pixels
};

[[nodiscard]] const StageDef<MaskGrowRequest>& stageOf(const MaskGrowRequest&);

/// A latent several times.
struct LatentRepeatRequest {
    WireRef latent;
    int64_t count = 1;
};

[[nodiscard]] const StageDef<LatentRepeatRequest>& stageOf(const LatentRepeatRequest&);

struct LatentUpscaleRequest {
    WireRef latent;
    WireRef model;                   ///< with `size` only: says what a latent pixel stands for
    std::string method = "bislerp";  ///< nearest-exact, bilinear, bicubic, area, bislerp
    double scale = 2;                ///< of both sides, rounded to whole latent pixels
    std::optional<PixelSize> size;   ///< instead of `scale`
};

[[nodiscard]] const StageDef<LatentUpscaleRequest>& stageOf(const LatentUpscaleRequest&);

struct DecodeRequest {
    WireRef model;
    WireRef latent;
    int64_t tilePixels = 0;  ///< side of a tile with blended seams, 0: whole; changes pixels
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<DecodeRequest>& stageOf(const DecodeRequest&);

struct UpscaleRequest {
    WireRef image;
    std::string method = "lanczos";  ///< lanczos, bicubic, area
    double scale = 2;
};

[[nodiscard]] const StageDef<UpscaleRequest>& stageOf(const UpscaleRequest&);

struct UpscaleWithModelRequest {
    WireRef upscaler;
    WireRef image;
    int64_t tilePixels = 512;    ///< side of a tile of the picture, 0: whole
    int64_t overlapPixels = 64;  ///< of neighbouring tiles; at most half of a tile
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<UpscaleWithModelRequest>& stageOf(const UpscaleWithModelRequest&);

/// Stronger edges, by an unsharp mask.
struct SharpenRequest {
    WireRef image;
    double radius = 2;     ///< standard deviation of the blur, in pixels
    double percent = 150;  ///< of the difference to the blurred picture that is added
    double threshold = 3;  ///< levels of 255; smaller differences are left alone
};

[[nodiscard]] const StageDef<SharpenRequest>& stageOf(const SharpenRequest&);

/// The colours of another picture.
struct MatchColourRequest {
    WireRef image;
    WireRef reference;                 ///< one picture, or one for each
    std::string method = "histogram";  ///< or statistics: mean and deviation in CIE L*a*b*
    double strength = 1;               ///< share of the matched picture in the result
};

[[nodiscard]] const StageDef<MatchColourRequest>& stageOf(const MatchColourRequest&);

/// Every tile of pictures goes through the denoiser at a low strength.
struct DetailRequest {
    WireRef model;
    WireRef positive;
    WireRef negative;  ///< may be null, as of DenoiseRequest
    WireRef image;
    WireRef control;             ///< may be null; every tile gets its part of the hints
    WireRef imagePrompt;         ///< may be null; every tile follows the same pictures
    int64_t tilePixels = 512;    ///< side of a tile, 0: whole pictures
    int64_t overlapPixels = 64;  ///< of neighbouring tiles; at most half of a tile
    int steps = 20;
    double cfg = 7.5;
    uint64_t seed = 0;  ///< of the first tile; the next ones have seed + 1, ...
    std::string sampler = "checkpoint";
    std::string sigmas = "sampler";
    std::string spacing = "sampler";
    double strength = 0.3;
    memory::PrecisionChoice precision{};  ///< of both networks, by their roles where it says so
};

[[nodiscard]] const StageDef<DetailRequest>& stageOf(const DetailRequest&);

}  // namespace lowtide::nodes
