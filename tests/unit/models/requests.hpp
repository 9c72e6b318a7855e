#pragma once
// What tests ask nodes, a field for each port and parameter.

#include "nodes/engine/stage_def.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/tensor/conditioning_scope.hpp"
#include "tests/unit/models/image_requests.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace lowtide::testing {

/// decode.image
struct DecodeRequest {
    WireRef model;
    WireRef latent;
    int64_t tilePixels = 0;
    memory::PrecisionChoice precision{};
};

[[nodiscard]] Given given(const DecodeRequest& request);

/// encode.image
struct ImageEncodeRequest {
    WireRef model;
    WireRef image;
    WireRef mask;
    int64_t tilePixels = 0;
    std::string sampling = "sample";
    memory::PrecisionChoice precision{};
};

[[nodiscard]] Given given(const ImageEncodeRequest& request);

/// finish.sharpen
struct SharpenRequest {
    WireRef image;
    double radius = 2;
    double percent = 150;
    double threshold = 3;
};

[[nodiscard]] Given given(const SharpenRequest& request);

/// finish.match_colour
struct MatchColourRequest {
    WireRef image;
    WireRef reference;
    std::string method = "histogram";
    double strength = 1;
};

[[nodiscard]] Given given(const MatchColourRequest& request);

/// finish.detail
struct DetailRequest {
    WireRef model;
    WireRef positive;
    WireRef negative;
    WireRef image;
    WireRef control;
    int64_t tilePixels = 512;
    int64_t overlapPixels = 64;
    int steps = 20;
    double cfg = 7.5;
    uint64_t seed = 0;
    std::string sampler = "checkpoint";
    std::string sigmas = "sampler";
    std::string spacing = "sampler";
    double strength = 0.3;
    memory::PrecisionChoice precision{};
};

[[nodiscard]] Given given(const DetailRequest& request);

/// conditioning.combine
struct CombineEdit {};

/// conditioning.concat
struct ConcatEdit {};

/// conditioning.average
struct AverageEdit {
    double fraction = 1;
};

/// conditioning.area
struct AreaEdit {
    tensor::ImageArea area;
    double strength = 1;
};

/// conditioning.time_range
struct TimeEdit {
    double start = 0;
    double end = 1;
};

/// One of the nodes that edit conditionings.
struct ConditioningEdit {
    std::variant<CombineEdit, ConcatEdit, AverageEdit, AreaEdit, TimeEdit> edit;
    WireRef first;
    WireRef second;  ///< null for an area and a time
};

[[nodiscard]] Given given(const ConditioningEdit& request);

/// control.apply
struct ControlRequest {
    WireRef controlnet;
    WireRef image;
    WireRef control;
    double strength = 1;
    double start = 0;
    double end = 1;
    std::string mode = "balanced";
    bool isInverted = false;
};

[[nodiscard]] Given given(const ControlRequest& request);

/// denoise.sample
struct DenoiseRequest {
    WireRef model;
    WireRef positive;
    WireRef negative;
    WireRef latent;
    WireRef mask;
    WireRef masked;
    WireRef stepCache;
    WireRef control;
    int steps = 20;
    double cfg = 7.5;
    double boundary = 0;
    uint64_t seed = 0;
    std::string batchSeeds = "one";
    std::string sampler = "checkpoint";
    std::string schedule = "automatic";
    std::string noise = "diffusers";
    std::string sigmas = "sampler";
    std::string spacing = "sampler";
    int startStep = 0;
    int endStep = -1;
    bool addNoise = true;
    bool keepNoise = false;
    double startAt = 0;
    double endAt = 1;
    double eta = 0;
    double shift = 0;
    double guidanceRescale = 0;
    double strength = 1;
    memory::PrecisionChoice precision{};
};

[[nodiscard]] Given given(const DenoiseRequest& request);

/// prompt.encode
struct EncodeRequest {
    WireRef model;
    std::string prompt;
    bool hasTags = false;
    std::string negative;
    bool encodesEmpty = false;
    models::EncoderPrompts others{};
    int64_t length = 0;
    int clipSkip = -1;
    std::string weights = "none";
    tensor::NamedNumbers numbers{};  ///< by the ids of their parameters
    std::string graphFolder{};       ///< its folder "embeddings" has what the texts may name
    memory::PrecisionChoice precision{};
};

[[nodiscard]] Given given(const EncodeRequest& request);

}  // namespace lowtide::testing
